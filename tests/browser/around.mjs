// Steps around the review: the list, the table shown by hand, promotion, refusals, the description of the API.

import assert from "node:assert/strict"
import {mkdtempSync, readFileSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {asked, current, drag, goTo, moves, over, plies, pressed, quiet, truth, upload} from "./actions.mjs"
import {audit} from "./audit.mjs"
import {ROOT} from "./service.mjs"
import {isTooWide} from "./window.mjs"

export const around = {
    async "search and delete"({page, address}) {
        await page.goto(`${address}/#/`)
        await page.waitForSelector(".games li")
        await page.fill("input[type=search]", "nobody")
        await page.waitForFunction(() => document.querySelectorAll(".games li").length === 0)
        await page.fill("input[type=search]", "Dorn")
        await page.waitForSelector(".games li.done")
        assert.match(await page.textContent(".games li"), /Dorn.*Brandt/s)
        await page.click(".games li button")
        await page.click("dialog .danger")
        await page.waitForFunction(() => document.querySelectorAll(".games li").length === 0)
        assert.deepEqual((await asked(page, address, "/v1/jobs")).jobs, [])
    },

    async "the table shown by hand, by key and by mouse"({page, address, photo}) {
        const id = await upload(page, photo)
        await page.click(".games li.done .title")
        await page.waitForSelector(".current h2")
        await pressed(page)("t")
        await page.waitForSelector(".table-sheet:not([hidden])")
        assert.equal(await page.locator(".dropped").count(), 0, "there are no corrections yet")
        await pressed(page)("Escape")
        await pressed(page)("Enter")
        await quiet(page)
        const {game} = await asked(page, address, `/v1/jobs/${id}/review`)
        const [{quad: found, width}] = game.sheets[0].pages
        await pressed(page)("t")
        await page.waitForSelector(".table-sheet:not([hidden])")
        assert.equal(await page.locator(".dropped").count(), 1, "corrections will be lost")
        assert.deepEqual(await audit(page), [])
        // By key: the first corner to the left.
        await pressed(page)("Tab")
        assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Upper left corner/)
        for (const key of ["Shift+ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "Shift+ArrowRight"]) await pressed(page)(key)
        assert.ok(await page.isVisible(".glass"))
        // By mouse: the third corner 4 to the right and 2 down on the screen.
        const scale = width / (await page.locator(".table-sheet").boundingBox()).width
        const {x, y, width: wide} = await page.locator(".corner").nth(2).boundingBox()
        await page.mouse.move(x + wide / 2, y + wide / 2)
        await page.mouse.down()
        await page.mouse.move(x + wide / 2 + 4, y + wide / 2 + 2, {steps: 4})
        await page.mouse.up()
        await page.fill(".counts label:first-child input", "2")
        await page.click(".table .main")
        assert.ok(await page.isVisible("dialog.table"), "two rows are refused")
        await page.fill(".counts label:first-child input", "")
        await page.click(".table .main")
        await page.waitForFunction(() => !document.querySelector("dialog"))
        await over(page, address, id)
        await page.waitForFunction(() => !document.querySelector(".waiting") && document.querySelector(".current h2"))
        const {photos: [{hint}]} = await asked(page, address, `/v1/jobs/${id}`)
        const expected = found.map(corner => [...corner])
        expected[0] = [expected[0][0] - 2 * scale, expected[0][1] - scale]
        expected[2] = [expected[2][0] + 4 * scale, expected[2][1] + 2 * scale]
        assert.ok(hint.quad.flat().every((value, i) => Math.abs(value - expected.flat()[i]) <= 2), `${hint.quad} is not ${expected}`)
        assert.deepEqual([hint.rows, hint.columns], [null, null])
        assert.deepEqual((await asked(page, address, `/v1/jobs/${id}/review`)).pins, [])
        const shown = await plies(page)
        assert.ok(shown.filter((san, i) => san === truth[i]).length > 0.9 * truth.length, "most of the game is read")
    },

    async "a pawn that becomes another piece"({page, address}) {
        const {jobs: [{id}]} = await asked(page, address, "/v1/jobs")
        const sans = ["a4", "b5", "axb5", "a6", "bxa6", "Bb7", "axb7", "Nc6"]
        const colours = ["white", "black"]
        const made = sans.map((san, i) => ({pin: "move", number: 1 + Math.floor(i / 2), colour: colours[i % 2], san}))
        const pins = [...made, {pin: "end", number: 5, colour: "white"}]
        await page.evaluate(([path, body]) => fetch(path, {method: "PUT", headers: {"content-type": "application/json"}, body}),
            [`${address}/v1/jobs/${id}/pins`, JSON.stringify({pins})])
        await page.reload()
        await page.waitForSelector(".current h2")
        await goTo(page, sans.length)
        const square = name => page.locator(`.boards figure:first-of-type rect[data-square=${name}]`)
        const last = () => page.locator(".moves .ply .san").last().textContent()
        // The dialog tells what was chosen only after the key is up, so that there is nothing yet to be quiet about.
        const lastIs = async san => {
            await page.waitForFunction(it => [...document.querySelectorAll(".moves .ply .san")].at(-1).textContent === it, san)
            await quiet(page)
        }
        const before = await last()
        await drag(page, square("b7"), square("a8"))
        await page.waitForSelector("dialog .promotion")
        assert.equal(await page.locator("dialog .promotion button").count(), 4)
        assert.deepEqual(await audit(page), [])
        await pressed(page)("Escape")
        await page.waitForFunction(() => !document.querySelector("dialog"))
        await quiet(page)
        assert.equal(await last(), before, "nothing was chosen")
        // By two clicks, of which the second is still down when the move is made; then by key.
        await square("b7").click()
        await square("a8").click()
        await page.waitForSelector("dialog .promotion")
        await pressed(page)("n")
        await lastIs("bxa8=N")
        await drag(page, square("b7"), square("a8"))
        await page.click("dialog .promotion button:first-child")
        await lastIs("bxa8=Q")
    },

    async "a photo without a game, and its table shown by hand"({page, address}) {
        await page.goto(`${address}/#/`)
        await page.setInputFiles("input[data-field=sheet]", join(ROOT, "samples/bad/blank-form.jpg"))
        await page.click(".games li.failed .title")
        await page.click(".waiting button:last-child")
        await page.waitForSelector(".table-sheet:not([hidden])")
        const corner = page.locator(".corner").first()
        await corner.press("Shift+ArrowDown")
        for (let i = 0; i < 100; i += 1) await corner.press("Shift+ArrowRight")
        assert.match(await page.textContent(".table [role=alert]"), /sides cross/)
        assert.ok(await page.isDisabled(".table .main"))
        await page.click(".table-said .row button:last-child")
        assert.equal(await page.textContent(".table [role=alert]"), "")
        await corner.press("ArrowDown")
        await page.fill(".counts label:last-child input", "2")
        await page.click(".table .main")
        await page.waitForFunction(() => !document.querySelector("dialog"))
        const {jobs: [{id}]} = await asked(page, address, "/v1/jobs")
        const job = await over(page, address, id)
        assert.equal(job.photos[0].hint.columns, 2)
        assert.equal(job.photos[0].hint.quad.length, 4)
        const {jobs} = await asked(page, address, "/v1/jobs")
        await page.evaluate(ids => Promise.all(ids.map(one => fetch(`/v1/jobs/${one}`, {method: "DELETE"}))), jobs.map(one => one.id))
        await page.goto(`${address}/#/`)
        await page.waitForSelector(".upload")
    },

    async "what is no sheet is refused in words"({page, expect}) {
        const file = join(mkdtempSync(join(tmpdir(), "scoresheet-browser-")), "notes.txt")
        writeFileSync(file, "no picture")
        await page.setInputFiles("input[data-field=sheet]", file)
        await page.waitForSelector(".alarm")
        assert.match(await page.textContent(".alarm"), /notes\.txt is not a picture/)
        expect(/415/)
    },

    async "the description of the API"({page, address}) {
        await page.goto(`${address}/docs`)
        await page.waitForSelector("#docs nav")
        if (readFileSync(join(ROOT, "src/service/page/openapi.json"), "utf8").trim()) {
            assert.ok(await page.locator(".operation").count() >= 10, "operations are listed")
            await page.locator(".operation > summary").first().click()
            assert.ok(await page.locator(".operation[open] td").count() > 0)
        }
        assert.equal(await isTooWide(page), null)
    },
}
