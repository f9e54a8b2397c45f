// The review page in a real browser: uploads a sample, reviews it by keyboard, saves its PGN, in a wide window and in
// one of a phone. Needs the built program; see run.sh.

import assert from "node:assert/strict"
import {writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {chromium} from "playwright-core"
import {REPLACED, SAMPLE, indexOf, truth} from "./actions.mjs"
import {around} from "./around.mjs"
import {audit} from "./audit.mjs"
import {onPhone, withKey} from "./phone.mjs"
import {withCellsReplaced} from "./photo.mjs"
import {review} from "./review.mjs"
import {ROOT, newKey, serve} from "./service.mjs"
import {checkMoves, checkPins, checkQuads} from "./units.mjs"
import {open} from "./window.mjs"
import {checkWords} from "./words.mjs"

const wide = {viewport: {width: 1400, height: 900}, locale: "en-GB"}
const phone = {viewport: {width: 390, height: 844}, locale: "de-DE", colorScheme: "dark", hasTouch: true, isMobile: true}

/** Carries out steps in one window; true if all went well. */
async function run(browser, address, options, list, kept) {
    const window = await open(browser, address, options)
    try {
        for (const [name, step] of Object.entries(list)) {
            const start = Date.now()
            try {
                await step({...window, address, photo}, kept)
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
    good = await run(browser, open_.address, wide, {...review, ...around}, {}) && await run(browser, open_.address, phone, onPhone, {}) &&
        await run(browser, locked.address, wide, withKey, {key})
} finally {
    await browser.close()
    await Promise.all([open_.stop(), locked.stop()])
}
process.exitCode = good ? 0 : 1
