// What the steps of the test do and ask again and again.

import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {join} from "node:path"
import {ROOT} from "./service.mjs"

export const SAMPLE = "corrections"
export const truth = moves(readFileSync(join(ROOT, `samples/${SAMPLE}.pgn`), "utf8"))
/** Moves in place of which the photo shows castling, which is not legal there: they need a look. */
export const REPLACED = ["22... Qxc5", "29. Qxf3", "31. Rxb7", "39. Kxg3"]

function plain(san) {
    return san.replace(/[+#]/g, "")
}

/** The moves of a PGN without numbers, comments, result and check signs. */
export function moves(pgn) {
    const text = pgn.slice(pgn.lastIndexOf("]\n") + 1).replace(/\{[^}]*\}|\$\d+|\d+\.+/g, " ")
    return text.split(/\s+/).filter(word => word && !["1-0", "0-1", "1/2-1/2", "*"].includes(word)).map(plain)
}

/** The index of a ply given as in `29. Qxf3` or `22... Qxc5`. */
export function indexOf(ply) {
    const [number, san] = ply.split(/\.+ /)
    const index = 2 * (Number(number) - 1) + (ply.includes("...") ? 1 : 0)
    assert.equal(truth[index], san)
    return index
}

export const pressed = page => key => page.keyboard.press(key)
export const plies = page => page.$$eval(".moves .ply .san", all => all.map(one => one.textContent.replace(/[+#]/g, "")))
export const current = page => page.textContent(".current h2")
export const toCheck = async page => Number.parseInt(await page.textContent(".todo"), 10) || 0
export const asked = (page, address, path) => page.evaluate(async url => (await fetch(url)).json(), address + path)

/** Waits until every change has been answered and shown. */
export async function quiet(page) {
    await page.waitForFunction(() => !document.querySelector("main.busy, .boards[aria-busy=true]"))
}

/** Uploads a photo of the sample; returns the job's id. */
export async function upload(page, photo) {
    await page.setInputFiles("input[data-field=sheet]", photo)
    const row = page.locator(".games li.done")
    await row.waitFor()
    assert.match(await row.textContent(), new RegExp(SAMPLE), "the list names the photo")
    return row.getAttribute("data-job")
}

/** Waits until a job is over; returns it. */
export async function over(page, address, id) {
    for (;;) {
        const job = await asked(page, address, `/v1/jobs/${id}`)
        if (!["queued", "reading"].includes(job.state)) return job
        await page.waitForTimeout(100)
    }
}

/** Drags with the mouse from the middle of one element to that of another. */
export async function drag(page, from, to) {
    const middle = async element => {
        const {x, y, width, height} = await element.boundingBox()
        return [x + width / 2, y + height / 2]
    }
    await page.mouse.move(...await middle(from))
    await page.mouse.down()
    await page.mouse.move(...await middle(to), {steps: 5})
    await page.mouse.up()
}

/** Goes to the ply of an index by the table of moves. */
export async function goTo(page, index) {
    await page.locator(".moves .ply").nth(index).click()
    await page.waitForFunction(at => document.querySelectorAll(".moves .ply")[at]?.hasAttribute("aria-current"), index)
}
