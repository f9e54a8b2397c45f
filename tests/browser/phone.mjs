// Steps in the window of a phone, and those with a key.

import assert from "node:assert/strict"
import {join} from "node:path"
import {asked, current, moves, over, quiet, toCheck, upload} from "./actions.mjs"
import {audit} from "./audit.mjs"
import {ROOT} from "./service.mjs"
import {isTooWide} from "./window.mjs"

export const onPhone = {
    async "a photo taken with the camera"({page, address, photo}) {
        await page.goto(`${address}/`)
        const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.tap(".place .touch-only")])
        assert.equal(await chooser.element().getAttribute("capture"), "environment", "the camera at the back is opened")
        assert.equal(chooser.isMultiple(), false)
        await chooser.setFiles(photo)
        await page.locator(".games li.done").waitFor()
        // Two pages, one photo each, are sent as one game.
        await page.click("input[value=pages]")
        for (const count of [1, 2]) {
            const [next] = await Promise.all([page.waitForEvent("filechooser"), page.tap(".place .touch-only")])
            await next.setFiles(join(ROOT, `samples/two-pages-${count}.jpg`))
            await page.waitForFunction(n => document.querySelectorAll(".stage li").length === n, count)
        }
        assert.equal(await isTooWide(page), null)
        await page.tap("#staged .main")
        await page.waitForFunction(() => document.querySelectorAll(".games li").length === 2)
        const {jobs: [{id}]} = await asked(page, address, "/v1/jobs")
        const job = await over(page, address, id)
        assert.deepEqual(job.photos.map(({name, sheet, page}) => [name, sheet, page]), [["two-pages-1.jpg", 0, 0], ["two-pages-2.jpg", 0, 1]])
        assert.equal(job.state, "done")
        const {jobs} = await asked(page, address, "/v1/jobs")
        await page.evaluate(ids => Promise.all(ids.map(one => fetch(`/v1/jobs/${one}`, {method: "DELETE"}))), jobs.map(one => one.id))
    },

    async "upload and review on a phone"({page, address, photo}) {
        await page.goto(`${address}/`)
        await page.waitForSelector(".upload")
        assert.equal(await page.evaluate(() => document.documentElement.lang), "de")
        assert.equal(await isTooWide(page), null)
        assert.ok(await page.isVisible(".touch-only"), "the camera is offered")
        await upload(page, photo)
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

export const withKey = {
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
