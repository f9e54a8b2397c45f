// A browser window that notes everything which a sound page does not do.

import {readFileSync} from "node:fs"
import {extname} from "node:path"
import {ROOT} from "./service.mjs"

/** Opens a window at `address`; `window.complaints` holds console errors, exceptions and requests to elsewhere. */
export async function open(browser, address, options) {
    const context = await browser.newContext({acceptDownloads: true, ...options})
    const page = await context.newPage()
    const complaints = []
    page.setDefaultTimeout(60000)
    page.on("console", message => {
        if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()} (${message.location().url})`)
    })
    page.on("pageerror", error => complaints.push(`exception: ${error.stack}`))
    page.on("request", request => {
        if (!request.url().startsWith(address) && !request.url().startsWith("blob:")) complaints.push(`request to ${request.url()}`)
    })
    if (process.env.PAGE_FROM_DISK) await fromDisk(page, address)
    return {context, page, complaints, expect: pattern => expect(complaints, pattern)}
}

/** Takes the one complaint that a refused request leaves in the console off the list. */
function expect(complaints, pattern) {
    const at = complaints.findIndex(complaint => pattern.test(complaint))
    if (at < 0) throw new Error(`no complaint is like ${pattern}: ${complaints.join("; ")}`)
    complaints.splice(at, 1)
}

/** For work on the page: its files come from the source tree instead of the program, with the program's headers. */
async function fromDisk(page, address) {
    await page.route(`${address}/**`, async route => {
        const {pathname} = new URL(route.request().url())
        const name = pathname === "/" ? "index.html" : pathname.startsWith("/assets/") ? pathname.slice(8) : null
        if (!name || !extname(name)) return route.continue()
        const response = await route.fetch()
        return route.fulfill({response, body: readFileSync(`${ROOT}src/service/page/${name}`)})
    })
}

/** Whether the page can be scrolled sideways. */
export function isTooWide(page) {
    return page.evaluate(() => {
        const {scrollWidth, clientWidth} = document.documentElement
        const bar = document.getElementById("bar")
        const out = [...document.querySelectorAll("#bar > *, #tools > *, main button")].find(element => {
            const {left, right, width} = element.getBoundingClientRect()
            return width > 0 && (left < -1 || right > innerWidth + 1)
        })
        if (scrollWidth > clientWidth) return `the page is ${scrollWidth} wide in a window of ${clientWidth}`
        if (bar && bar.scrollWidth > bar.clientWidth) return "the header is too wide"
        return out ? `out of the window: ${out.outerHTML.slice(0, 120)}` : null
    })
}
