// Steps on one game: uploaded, reviewed by keyboard and board, its PGN saved.

import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {asked, current, drag, goTo, moves, over, plies, pressed, quiet, toCheck, truth, upload} from "./actions.mjs"
import {isTooWide} from "./window.mjs"

export const review = {
    async "upload, progress and list"({page, address, photo}, kept) {
        await page.goto(`${address}/`)
        kept.id = await upload(page, photo)
        await page.click(".games li.done .title")
        await page.waitForSelector(".current h2")
        assert.ok(await toCheck(page) > 0, "the sample has unclear moves")
        const shown = await plies(page)
        assert.ok(shown.filter((san, i) => san === truth[i]).length > 0.9 * truth.length, "most of the game is read")
    },

    async "photo, cells, crop and boards are shown"({page}) {
        await page.waitForFunction(() => document.querySelector(".sheet img").naturalWidth > 500)
        assert.ok(await page.locator(".sheet polygon").count() >= truth.length, "each cell is drawn")
        await page.waitForFunction(() => document.querySelector(".crops img")?.naturalWidth > 100)
        assert.ok(await page.locator(".boards [data-piece]").count() > 10)
        await page.keyboard.press("Home")
        assert.match(await current(page), /^1\. d4/)
        assert.equal(await page.locator(".boards figure:first-of-type g[data-piece]").count(), 32)
        // A click on the third cell that is drawn selects its ply.
        await page.locator(".sheet polygon:not(.current)").nth(1).dispatchEvent("click")
        assert.match(await current(page), /^2\. /)
    },

    async "a move typed in German letters"({page, address}, {id}) {
        const at = truth.findIndex(san => san.startsWith("Q"))
        await goTo(page, at)
        const letters = {K: "K", Q: "D", R: "T", B: "L", N: "S"}
        await page.keyboard.type(truth[at].replace(/^[KQRBN]/, letter => letters[letter]))
        assert.ok(await page.$eval(".typing input", field => field === document.activeElement && field.value.length > 1), "typing goes into the field")
        await page.keyboard.press("Enter")
        await quiet(page)
        await page.waitForFunction(([i, san]) => document.querySelectorAll(".moves .ply .san")[i].textContent.startsWith(san), [at, truth[at]])
        assert.match(await page.locator(".moves .ply").nth(at).getAttribute("class"), /settled/)
        const {pins} = await asked(page, address, `/v1/jobs/${id}/review`)
        assert.deepEqual(pins.map(({pin, number, colour}) => [pin, number, colour]), [["move", Math.floor(at / 2) + 1, at % 2 ? "black" : "white"]])
    },

    async "looks right, a candidate, undo and redo by key"({page, address}, {id}) {
        const pins = async () => (await asked(page, address, `/v1/jobs/${id}/review`)).pins.length
        const shown = await plies(page)
        const unclear = await page.$$eval(".moves .ply", all => all.map((ply, i) => ply.matches(":not(.clear, .settled)") ? i : -1).filter(i => i >= 0))
        const right = unclear.find(i => shown[i] === truth[i])
        assert.ok(right !== undefined, "an unclear move is read right")
        await goTo(page, right)
        const before = await toCheck(page)
        await page.keyboard.press("Enter")
        await quiet(page)
        assert.ok(await toCheck(page) < before, "one less to check")
        assert.ok(!/settled/.test(await page.getAttribute(".moves .ply[aria-current]", "class")), "the next unclear move is shown")
        assert.equal(await pins(), 2)
        await page.keyboard.press("u")
        await quiet(page)
        assert.equal(await pins(), 1)
        assert.equal(await toCheck(page), before)
        await page.keyboard.press("r")
        await quiet(page)
        assert.equal(await pins(), 2)
        await page.keyboard.press("u")
        await quiet(page)
        // Nobody has to wait for an answer before the next press.
        await goTo(page, right)
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await quiet(page)
        const cells = (await asked(page, address, `/v1/jobs/${id}/review`)).pins.map(({number, colour}) => `${number} ${colour}`)
        assert.equal(cells.length, 3)
        assert.equal(new Set(cells).size, 3, "each press is about a move of its own")
        await page.keyboard.press("u")
        await page.keyboard.press("u")
        await quiet(page)
        assert.equal(await pins(), 1)
        await goTo(page, right)
        const first = await page.textContent(".candidate .san")
        await page.keyboard.press("1")
        await quiet(page)
        const {pins: list} = await asked(page, address, `/v1/jobs/${id}/review`)
        assert.equal(list.at(-1).san, first)
    },

    async "a piece moved on the board"({page, address}, {id}) {
        await pressed(page)("Home")
        const square = name => page.locator(`.boards figure:first-of-type rect[data-square=${name}]`)
        await square("d2").click()
        assert.equal(await page.locator(".boards .dot").count(), 2, "the pawn may go to two squares")
        await square("d2").click()
        assert.equal(await page.locator(".boards .dot").count(), 0, "put back")
        await drag(page, square("d2"), square("d4"))
        await quiet(page)
        const {pins, game} = await asked(page, address, `/v1/jobs/${id}/review`)
        assert.equal(pins.at(-1).san, "d2d4")
        assert.equal(game.plies[0].san, "d4")
        await pressed(page)("u")
        await quiet(page)
        assert.equal((await asked(page, address, `/v1/jobs/${id}/review`)).pins.length, pins.length - 1)
    },

    async "a move that contradicts the game"({page, address, expect}, {id}) {
        const before = (await asked(page, address, `/v1/jobs/${id}/review`)).pins
        await pressed(page)("Home")
        await page.keyboard.type("Kh8")
        await pressed(page)("Enter")
        await page.waitForSelector(".alarm:not(.notice)")
        assert.match(await page.textContent(".alarm"), /Kh8 is not possible.*correct an earlier move first/s)
        expect(/422/)
        assert.deepEqual((await asked(page, address, `/v1/jobs/${id}/review`)).pins, before, "nothing has changed")
        await quiet(page)
        await pressed(page)("Escape")
        assert.equal(await page.locator(".alarm").count(), 0)
    },

    async "the end, what is no move, and a move left out"({page, address}, {id}) {
        const count = await page.locator(".moves .ply").count()
        await goTo(page, 20)
        await pressed(page)(".")
        await quiet(page)
        assert.equal(await page.locator(".moves .ply").count(), 21, "the game ends where it is said to end")
        await pressed(page)("u")
        await quiet(page)
        await goTo(page, count - 1)
        await pressed(page)("x")
        await quiet(page)
        assert.equal(await page.locator(".moves .ply").count(), count - 1)
        await pressed(page)("u")
        await quiet(page)
        assert.equal(await page.locator(".moves .ply").count(), count)
        await pressed(page)("m")
        assert.match(await page.textContent(".typing label"), /left out/)
        await pressed(page)("Escape")
        assert.doesNotMatch(await page.textContent(".typing label"), /left out/)
        await goTo(page, 34)
        await pressed(page)("m")
        await pressed(page)("Enter")
        await quiet(page)
        const missing = async () => (await asked(page, address, `/v1/jobs/${id}/review`)).pins.filter(pin => pin.pin === "missing")
        assert.deepEqual(await missing(), [{pin: "missing", number: 18, colour: "white", san: null}])
        assert.match(await page.getAttribute(".moves .ply[aria-current]", "class"), /inferred/, "the move that was added is shown")
        await pressed(page)("x")
        await quiet(page)
        assert.deepEqual(await missing(), [])
        await pressed(page)("u")
        await quiet(page)
        await pressed(page)("u")
        await quiet(page)
    },

    async "the whole review by keyboard"({page}) {
        await pressed(page)("Home")
        await pressed(page)("n")
        for (let i = 0; i < 60 && await toCheck(page) > 0; i += 1) {
            const [at, over] = await page.$$eval(".moves .ply", all => {
                const i = all.findIndex(ply => ply.hasAttribute("aria-current"))
                return [i, all[i].matches(".unread")]
            })
            const shown = await plies(page)
            if (!over && shown[at] !== truth[at]) await page.keyboard.type(truth[at])
            await pressed(page)("Enter")
            await quiet(page)
        }
        assert.equal(await toCheck(page), 0)
        assert.deepEqual(await plies(page), truth, "the game is the one that was played")
        assert.ok(await page.isVisible(".finish"))
        await pressed(page)("j")
        await quiet(page)
        assert.match(await page.textContent(".finish"), /1-0/)
    },

    async "tags, and the PGN saved"({page}) {
        await pressed(page)("i")
        await page.keyboard.type("<b id=markup>Dorn</b>")
        await pressed(page)("Tab")
        await page.keyboard.type('Brandt "K"')
        await pressed(page)("Tab")
        await quiet(page)
        const [download] = await Promise.all([page.waitForEvent("download"), pressed(page)("Control+s")])
        const pgn = readFileSync(await download.path(), "utf8")
        assert.match(download.suggestedFilename(), /Dorn.*Brandt.*\.pgn$/)
        assert.ok(pgn.includes('[White "<b id=markup>Dorn</b>"]') && pgn.includes('[Black "Brandt \\"K\\""]'), pgn.slice(0, 300))
        assert.match(pgn, /^\[Result "1-0"\]$/m)
        assert.match(pgn, /1-0\s*$/)
        assert.deepEqual(moves(pgn), truth)
        assert.equal(await page.locator("#markup").count(), 0, "markup in a name is text")
        assert.match(await page.getAttribute(".details a.button", "href"), /^https:\/\/lichess\.org\/analysis\/pgn\/1\.%20d4%20e6/)
    },

    async "help, order and a reload"({page}) {
        await pressed(page)("Escape")
        await pressed(page)("?")
        assert.ok(await page.isVisible("dialog .help"))
        await pressed(page)("Escape")
        await page.waitForFunction(() => !document.querySelector("dialog"))
        await pressed(page)("w")
        assert.equal(await page.locator(".moves .worst, .moves .list > p").count(), 1)
        await page.reload()
        await page.waitForSelector(".current h2")
        assert.deepEqual(await plies(page), truth, "corrections are kept")
        assert.equal(await isTooWide(page), null)
    },

    async "German, chosen and kept"({page}) {
        await page.selectOption(".bar select", "de")
        await page.waitForFunction(() => document.documentElement.lang === "de")
        await page.waitForSelector(".current h2")
        assert.match(await page.textContent(".moves-tools"), /Schlechteste zuerst/)
        await page.selectOption(".bar select", "en")
        await page.waitForFunction(() => /Worst first/.test(document.querySelector(".moves-tools")?.textContent))
    },
}
