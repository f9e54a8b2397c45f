// The review page in a real browser: uploads a sample, reviews it by keyboard, saves its PGN, in a wide window and in
// one of a phone. Needs the built program; see run.sh.

import assert from "node:assert/strict"
import {mkdtempSync, readFileSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {chromium} from "playwright-core"
import {audit} from "./audit.mjs"
import {withCellsReplaced} from "./photo.mjs"
import {ROOT, newKey, serve} from "./service.mjs"
import {checkMoves, checkPins, checkQuads} from "./units.mjs"
import {isTooWide, open} from "./window.mjs"
import {checkWords} from "./words.mjs"

const SAMPLE = "corrections"
const truth = moves(readFileSync(join(ROOT, `samples/${SAMPLE}.pgn`), "utf8"))
/** Moves in place of which the photo shows castling, which is not legal there: they need a look. */
const REPLACED = ["22... Qxc5", "29. Qxf3", "31. Rxb7", "39. Kxg3"]
const wide = {viewport: {width: 1400, height: 900}, locale: "en-GB"}
const phone = {viewport: {width: 390, height: 844}, locale: "de-DE", colorScheme: "dark", hasTouch: true, isMobile: true}

function plain(san) {
    return san.replace(/[+#]/g, "")
}

/** The moves of a PGN without numbers, comments, result and check signs. */
function moves(pgn) {
    const text = pgn.slice(pgn.lastIndexOf("]\n") + 1).replace(/\{[^}]*\}|\$\d+|\d+\.+/g, " ")
    return text.split(/\s+/).filter(word => word && !["1-0", "0-1", "1/2-1/2", "*"].includes(word)).map(plain)
}

/** The index of a ply given as in `29. Qxf3` or `22... Qxc5`. */
function indexOf(ply) {
    const [number, san] = ply.split(/\.+ /)
    const index = 2 * (Number(number) - 1) + (ply.includes("...") ? 1 : 0)
    assert.equal(truth[index], san)
    return index
}

const pressed = page => key => page.keyboard.press(key)
const plies = page => page.$$eval(".moves .ply .san", all => all.map(one => one.textContent.replace(/[+#]/g, "")))
const current = page => page.textContent(".current h2")
const toCheck = async page => Number.parseInt(await page.textContent(".todo"), 10) || 0
const asked = (page, address, path) => page.evaluate(async url => (await fetch(url)).json(), address + path)

/** Waits until every change has been answered. */
async function quiet(page) {
    await page.waitForFunction(() => !document.querySelector("main.busy"))
}

async function upload(page) {
    await page.setInputFiles("input[data-field=sheet]", photo)
    const row = page.locator(".games li.done")
    await row.waitFor()
    assert.match(await row.textContent(), new RegExp(SAMPLE), "the list names the photo")
    return row.getAttribute("data-job")
}

/** Waits until a job is over; returns it. */
async function over(page, address, id) {
    for (;;) {
        const job = await asked(page, address, `/v1/jobs/${id}`)
        if (!["queued", "reading"].includes(job.state)) return job
        await page.waitForTimeout(100)
    }
}

/** Drags with the mouse from the middle of one element to that of another. */
async function drag(page, from, to) {
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
async function goTo(page, index) {
    await page.locator(".moves .ply").nth(index).click()
    await page.waitForFunction(at => document.querySelectorAll(".moves .ply")[at]?.hasAttribute("aria-current"), index)
}

const steps = {
    async "upload, progress and list"({page, address}, kept) {
        await page.goto(`${address}/`)
        kept.id = await upload(page)
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
        const shown = await plies(page)
        const wrong = truth.findIndex((san, i) => shown[i] !== san)
        const at = wrong >= 0 ? wrong : truth.findIndex(san => san.startsWith("Q"))
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

    async "the table shown by hand, by key and by mouse"({page, address}) {
        const id = await upload(page)
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

const onPhone = {
    async "upload and review on a phone"({page, address}) {
        await page.goto(`${address}/`)
        await page.waitForSelector(".upload")
        assert.equal(await page.evaluate(() => document.documentElement.lang), "de")
        assert.equal(await isTooWide(page), null)
        assert.ok(await page.isVisible(".touch-only"), "the camera is offered")
        await upload(page)
        assert.equal(await isTooWide(page), null)
        await page.tap(".games li .title")
        await page.waitForSelector(".current h2")
        for (const tab of ["photo", "moves", "game", "current"]) {
            await page.tap(`.tabs [data-tab=${tab}]`)
            await page.waitForTimeout(100)
            assert.equal(await isTooWide(page), null, tab)
        }
        await page.tap(".tabs [data-tab=photo]")
        await page.tap(".photo-tools > button:last-child")
        await page.waitForSelector(".table-sheet:not([hidden])")
        assert.ok((await page.locator(".table-sheet").boundingBox()).height > 200, "the photo is large enough")
        assert.equal(await isTooWide(page), null)
        assert.deepEqual(await audit(page), [])
        await page.tap(".table .actions button:first-child")
        await page.tap(".tabs [data-tab=current]")
        const before = await toCheck(page)
        await page.tap(".deciding .main")
        await quiet(page)
        assert.ok(await toCheck(page) < before)
        const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number))
        assert.ok(Math.max(...dark) < 80, "dark where the system is dark")
    },
}

const withKey = {
    async "a key is asked for"({page, address, expect}, {key}) {
        await page.goto(`${address}/`)
        await page.waitForSelector("dialog input")
        expect(/401/)
        await page.fill("dialog input", "ssk_wrong")
        await page.keyboard.press("Enter")
        await page.waitForFunction(() => /not known/.test(document.querySelector("dialog")?.textContent))
        expect(/401/)
        await page.fill("dialog input", key)
        await page.keyboard.press("Enter")
        await page.waitForFunction(() => !document.querySelector("dialog") && !document.querySelector(".empty").hidden)
    },
}

/** Carries out steps in one window; true if all went well. */
async function run(browser, address, options, list, kept) {
    const window = await open(browser, address, options)
    try {
        for (const [name, step] of Object.entries(list)) {
            const start = Date.now()
            try {
                await step({...window, address}, kept)
                assert.deepEqual(window.complaints, [], "the page does nothing it should not")
                assert.deepEqual(await audit(window.page), [], "all can be seen and is named")
            } catch (error) {
                const picture = join(tmpdir(), "scoresheet-browser-failed.png")
                await window.page.screenshot({path: picture}).catch(() => {})
                console.error(`FAILED: ${name}\n${error.stack}\n${window.complaints.join("\n")}\nThe window then: ${picture}`)
                return false
            }
            console.log(`ok: ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`)
        }
        return true
    } finally {
        await window.context.close()
    }
}

checkWords()
console.log("ok: the same words in both languages")
await checkPins()
await checkMoves()
await checkQuads()
console.log("ok: pins, legal moves and corners")
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]})
const open_ = await serve()
const photo = await withCellsReplaced(browser, join(ROOT, `samples/${SAMPLE}.jpg`), open_.folder, truth.indexOf("O-O"), REPLACED.map(indexOf))
const [key, line] = newKey("club")
const keys = join(open_.folder, "keys")
writeFileSync(keys, `${line}\n`)
const locked = await serve("--keys", keys)
let good = false
try {
    good = await run(browser, open_.address, wide, steps, {}) && await run(browser, open_.address, phone, onPhone, {}) &&
        await run(browser, locked.address, wide, withKey, {key})
} finally {
    await browser.close()
    await Promise.all([open_.stop(), locked.stop()])
}
process.exitCode = good ? 0 : 1
