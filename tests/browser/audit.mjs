// What everyone needs from a page: names for all controls, and text that stands out from its ground.

/** Complaints about the page as it is now. */
export function audit(page) {
    return page.evaluate(() => {
        const complaints = []
        const shown = element => element.checkVisibility({visibilityProperty: true}) && element.getBoundingClientRect().width > 0
        const said = element => element.outerHTML.slice(0, 100)

        for (const control of document.querySelectorAll("button, a[href], input, select, textarea")) {
            if (!shown(control) || control.closest("[aria-hidden=true]")) continue
            const labels = [...control.labels ?? []].map(label => label.textContent).join(" ")
            const text = ["BUTTON", "A"].includes(control.tagName) ? control.textContent : ""
            if (!(control.getAttribute("aria-label") || labels || text).trim()) complaints.push(`no name: ${said(control)}`)
        }
        for (const image of document.querySelectorAll("img")) {
            if (!image.hasAttribute("alt")) complaints.push(`no alternative: ${said(image)}`)
        }
        const ids = [...document.querySelectorAll("[id]")].map(element => element.id)
        for (const id of ids.filter((one, i) => ids.indexOf(one) !== i)) complaints.push(`twice: #${id}`)

        // Contrast as in WCAG 2.2, 1.4.3.
        const parse = colour => {
            const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number)
            return [r, g, b, a]
        }
        const over = (top, ground) => [0, 1, 2].map(i => top[i] * top[3] + ground[i] * (1 - top[3])).concat(1)
        const ground = element => {
            if (!element) return parse(getComputedStyle(document.documentElement).colorScheme.startsWith("dark") ? "rgb(0,0,0)" : "rgb(255,255,255)")
            const own = parse(getComputedStyle(element).backgroundColor)
            return own[3] === 1 ? own : over(own, ground(element.parentElement))
        }
        const luminance = colour => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => {
            const c = colour[i] / 255
            return sum + share * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        }, 0)
        let looked = 0
        for (const element of document.querySelectorAll("body *:not(svg *)")) {
            const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
            if (!own || !shown(element) || element.closest(":disabled, option, noscript, .unseen, kbd")) continue
            const style = getComputedStyle(element)
            const below = ground(element)
            const [a, b] = [luminance(over(parse(style.color), below)), luminance(below)].sort((x, y) => y - x)
            const ratio = (a + 0.05) / (b + 0.05)
            const size = Number.parseFloat(style.fontSize)
            const isLarge = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700
            if (ratio < (isLarge ? 3 : 4.5)) complaints.push(`contrast ${ratio.toFixed(2)}: ${said(element)}`)
            looked += 1
        }
        if (looked < 5) complaints.push("no text was looked at")
        return [...new Set(complaints)]
    })
}
