// The photo that is reviewed: a sample in which some moves are made to need a look, however well the reader reads.

import {spawnSync} from "node:child_process"
import {readFileSync, writeFileSync} from "node:fs"
import {basename, join} from "node:path"
import {PROGRAM} from "./service.mjs"

/** Writes a copy of a photo into `folder` in which the cell of the ply `from` also stands in place of those of the plies `to`. */
export async function withCellsReplaced(browser, photo, folder, from, to) {
    const read = spawnSync(PROGRAM, ["read", "--json", photo], {encoding: "utf8", maxBuffer: 1 << 26})
    if (![0, 1].includes(read.status)) throw new Error(`${photo} is not read:\n${read.stderr}`)
    const {plies} = JSON.parse(read.stdout)
    const [source, ...places] = [from, ...to].map(index => plies[index].written[0].quad)
    const page = await browser.newPage()
    const changed = await page.evaluate(async ([bytes, source, places]) => {
        const picture = await createImageBitmap(await (await fetch(`data:image/jpeg;base64,${bytes}`)).blob())
        const canvas = Object.assign(document.createElement("canvas"), {width: picture.width, height: picture.height})
        const drawing = canvas.getContext("2d")
        drawing.drawImage(picture, 0, 0)
        // Within the lines of the cells: left, top, width and height.
        const inside = quad => {
            const [xs, ys] = [0, 1].map(axis => quad.map(corner => corner[axis]).sort((a, b) => a - b))
            return [xs[1], ys[1], xs[2] - xs[1], ys[2] - ys[1]].map((value, i) => value + [4, 3, -8, -6][i])
        }
        for (const place of places) drawing.drawImage(picture, ...inside(source), ...inside(place))
        return canvas.toDataURL("image/jpeg", 0.95).split(",")[1]
    }, [readFileSync(photo).toString("base64"), source, places])
    await page.close()
    const copy = join(folder, basename(photo))
    writeFileSync(copy, Buffer.from(changed, "base64"))
    return copy
}
