// The photos of a game with the cells that were found drawn over them.

import {pageAddress} from "./api.js"
import {el, fill, svg} from "./dom.js"
import {bounds, points} from "./quad.js"
import {t} from "./text.js"

const ZOOM = {least: 1, most: 6, step: 1.3}
/** What is shown beside the table of moves at first, as a share of its width. */
const MARGIN = 0.03
/** And above it, for its headings. */
const HEADINGS = 0.1

/**
 * The photo panel of a job. `selected(index)` is called for the ply whose cell was clicked, `showTable()` where the
 * user wants to say where the table is.
 */
export function makePhoto(id, selected, showTable) {
    const tabs = el("div", {class: "pages", role: "group", "aria-label": t("photo.pages")})
    const picture = el("img", {draggable: "false"})
    const cells = svg("svg", {"aria-hidden": "true", preserveAspectRatio: "none"})
    const sheet = el("div", {class: "sheet"}, picture, cells)
    const scroller = el("div", {class: "scroller", tabindex: "0", role: "group", "aria-label": t("photo.label")}, sheet)
    const element = el("section", {class: "photo", "aria-label": t("photo.label")},
        el("div", {class: "photo-tools"}, tabs,
            el("button", {class: "plain", "aria-label": t("photo.out"), title: t("photo.out"), "aria-keyshortcuts": "-", onclick: () => zoomBy(1 / ZOOM.step)}, "−"),
            el("button", {class: "plain", "aria-label": t("photo.in"), title: t("photo.in"), "aria-keyshortcuts": "+", onclick: () => zoomBy(ZOOM.step)}, "+"),
            el("button", {class: "plain wide-only", title: t("photo.whole"), "aria-keyshortcuts": "v", onclick: toggle}, t("photo.fit")),
            el("button", {class: "plain", title: t("table"), "aria-keyshortcuts": "t", onclick: showTable}, t("photo.table"))),
        scroller)
    let review = null, shown = null, zoom = 1, current = -1

    const info = () => review.game.sheets[shown.sheet].pages[shown.page]

    function setZoom(value) {
        zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, value))
        sheet.style.width = `${100 * zoom}%`
    }

    function zoomBy(factor) {
        const middle = [(scroller.scrollLeft + scroller.clientWidth / 2) / zoom, (scroller.scrollTop + scroller.clientHeight / 2) / zoom]
        setZoom(zoom * factor)
        scroller.scrollTo(middle[0] * zoom - scroller.clientWidth / 2, middle[1] * zoom - scroller.clientHeight / 2)
    }

    /** Shows the table of moves as wide as the panel. */
    function fitTable() {
        const {width, quad} = info()
        const [left, top, right] = bounds(quad)
        const table = right - left
        setZoom(width / (table * (1 + 2 * MARGIN)))
        const scale = scroller.clientWidth * zoom / width
        scroller.scrollTo((left - table * MARGIN) * scale, (top - table * HEADINGS) * scale)
    }

    function toggle() {
        if (zoom > 1) setZoom(1)
        else fitTable()
        reveal()
    }

    /** Scrolls the current cell into view if it is not. */
    function reveal() {
        const written = review.game.plies[current]?.written.find(isShown)
        if (!written || !scroller.clientWidth) return
        const scale = scroller.clientWidth * zoom / info().width
        const [left, top, right, bottom] = bounds(written.quad).map(side => side * scale)
        const room = (bottom - top) * 1.5
        /** Where to scroll to along one side: as it is if all is in view, or else with the cell in the middle. */
        const place = (from, size, low, high, around) =>
            low - around < from || high + around > from + size ? (low + high - size) / 2 : from
        const calmly = matchMedia("(prefers-reduced-motion: reduce)").matches
        scroller.scrollTo({
            left: place(scroller.scrollLeft, scroller.clientWidth, left, right, 0),
            top: place(scroller.scrollTop, scroller.clientHeight, top, bottom, room),
            behavior: calmly ? "instant" : "smooth",
        })
    }

    const isShown = written => written.sheet === shown.sheet && written.page === shown.page

    function turnTo(sheetIndex, pageIndex) {
        shown = {sheet: sheetIndex, page: pageIndex}
        const {width, height} = info()
        picture.src = pageAddress(id, sheetIndex, pageIndex)
        picture.alt = name(sheetIndex, pageIndex)
        sheet.style.aspectRatio = `${width} / ${height}`
        cells.setAttribute("viewBox", `0 0 ${width} ${height}`)
        fitTable()
        draw()
    }

    function name(sheetIndex, pageIndex) {
        const {keeper, pages} = review.game.sheets[sheetIndex]
        const whose = keeper ? t(`sheet.${keeper}`) : t("sheet.one")
        return pages.length > 1 ? `${whose} ${pageIndex + 1}` : whose
    }

    function drawTabs() {
        const all = review.game.sheets.flatMap((sheet, s) => sheet.pages.map((_, p) => [s, p]))
        fill(tabs, all.length < 2 ? [] : all.map(([s, p]) => el("button", {
            class: "plain", "aria-pressed": String(s === shown.sheet && p === shown.page), onclick: () => {
                turnTo(s, p)
                drawTabs()
                reveal()
            },
        }, name(s, p))))
    }

    function draw() {
        cells.replaceChildren()
        review.game.plies.forEach((ply, index) => {
            for (const written of ply.written.filter(isShown)) {
                const area = svg("polygon", {points: points(written.quad), class: `cell ${ply.status}${index === current ? " current" : ""}`})
                area.append(svg("title", {}, `${ply.number}${ply.colour === "white" ? "." : "…"} ${ply.san ?? "—"} · ${t(`status.${ply.status}`)}`))
                area.addEventListener("click", () => selected(index))
                cells.append(area)
            }
        })
        // The current one is drawn last, above its neighbours.
        cells.append(...cells.querySelectorAll(".current"))
    }

    return {
        element, zoomBy, toggle,
        /** The page in view: {sheet, page}. */
        page: () => shown,
        /** Shows the page on which the ply is written. */
        update(newReview, index) {
            review = newReview
            current = index
            const written = review.game.plies[index]?.written ?? []
            const wanted = written.find(w => shown && w.sheet === shown.sheet && w.page === shown.page) ?? written[0] ?? shown ?? {sheet: 0, page: 0}
            if (!shown || wanted.sheet !== shown.sheet || wanted.page !== shown.page) turnTo(wanted.sheet, wanted.page)
            else draw()
            drawTabs()
            reveal()
        },
        /** To be called when the panel comes into view. */
        refit() {
            fitTable()
            reveal()
        },
    }
}
