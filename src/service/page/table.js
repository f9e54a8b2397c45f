// The table of moves shown by hand: its corners on the photo, and how many rows and columns it has.

import {call, fetchPage, inWords} from "./api.js"
import {ask, el, fill, svg} from "./dom.js"
import {isClockwise, points, within} from "./quad.js"
import {t} from "./text.js"

const CORNERS = ["upper.left", "upper.right", "lower.right", "lower.left"]
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}
/** Screen pixels that an arrow key moves a corner by, without and with Shift. */
const STEP = {small: 1, large: 12}
/** Where the corners are at first if nothing was found, as a share of the photo's sides. */
const INSET = 0.1
/** How much larger than in the picture the magnifier shows what is under a corner. */
const MAGNIFIED = 4
/** What a table may have, as the service says. */
const ROWS = [3, 100], COLUMNS = [1, 5]

/** What is known about the table on a photo of a job; `found` is the page of the game that was read, if any. */
function tableOf(photo, found) {
    const {quad = null, rows = null, columns = null} = photo.hint ?? {}
    // `given`: whether the corners are someone's word; otherwise the service finds them.
    return {photo, found: found?.quad ?? null, quad: quad ?? found?.quad ?? null, given: Boolean(quad), rows, columns, picture: null}
}

/** What is to be said about a photo, as the service takes it; null if nothing is. */
function hintOf({photo, quad, given, rows, columns}) {
    if (!given && rows === null && columns === null && !photo.hint) return null
    return {sheet: photo.sheet, page: photo.page, quad: given ? quad.map(([x, y]) => [Math.round(x), Math.round(y)]) : null, rows, columns}
}

/**
 * Asks where the table is and has the job read again; says whether it is. `review` is that of the job if it was read,
 * `first` the {sheet, page} that is shown first.
 */
export async function showTable(job, review = null, first = job.photos[0]) {
    const tables = job.photos.map(photo => tableOf(photo, review?.game.sheets[photo.sheet]?.pages[photo.page]))
    const at = tables.findIndex(({photo}) => photo.sheet === first.sheet && photo.page === first.page)
    try {
        return await ask(t("table"), dialog => build(dialog, job, tables, Math.max(at, 0), Boolean(review?.pins.length))) === "sent"
    } finally {
        for (const {picture} of tables) if (picture) URL.revokeObjectURL(picture.address)
    }
}

function build(dialog, job, tables, first, dropsPins) {
    let shown = null, active = -1
    const image = el("img", {alt: t("photo.label"), draggable: "false"})
    const outline = svg("svg", {"aria-hidden": "true", preserveAspectRatio: "none"})
    const handles = CORNERS.map((name, i) => el("button", {type: "button", class: "corner", "aria-label": t(`table.${name}`), "aria-describedby": "corner-keys",
        onpointerdown: grab, onpointermove: drag, onkeydown: event => step(event, i), onfocus: () => magnify(i), onblur: () => magnify(-1)}))
    const glass = el("div", {class: "glass", "aria-hidden": "true", hidden: true})
    const sheet = el("div", {class: "table-sheet", hidden: true}, image, outline, handles)
    const place = el("div", {class: "table-place"}, sheet, glass)
    const pages = el("div", {class: "row", role: "group", "aria-label": t("photo.pages"), hidden: tables.length < 2}, tables.map(({photo}, i) =>
        el("button", {type: "button", class: "plain", onclick: () => turnTo(i)}, `${i + 1}. ${photo.name}`)))
    const state = el("p", {class: "quiet", role: "status"})
    const wrong = el("p", {class: "problem", role: "alert"})
    const spoken = el("p", {class: "unseen", role: "status"})
    const count = (name, [min, max]) => el("input", {type: "number", min, max, step: 1, inputmode: "numeric", placeholder: t("table.find"), oninput: event => {
        shown[name] = event.target.value === "" ? null : event.target.valueAsNumber
        draw()
    }})
    const rows = count("rows", ROWS), columns = count("columns", COLUMNS)
    const turn = el("button", {type: "button", onclick: () => give(shown.quad.map((_, i) => shown.quad[(i + 3) % 4]))}, "⟳ ", t("table.turn"))
    const reset = el("button", {type: "button", onclick: forget}, t("table.reset"))
    const send = el("button", {class: "main"}, t("read.again"))

    /** Shows a photo with its table. */
    async function turnTo(index) {
        shown = tables[index]
        const table = shown
        for (const [i, button] of [...pages.children].entries()) button.setAttribute("aria-pressed", String(i === index))
        rows.value = table.rows ?? ""
        columns.value = table.columns ?? ""
        sheet.hidden = true
        wrong.textContent = ""
        state.textContent = t("table.loading")
        try {
            if (!table.picture) {
                const {blob, width, height} = await fetchPage(job.id, table.photo.sheet, table.photo.page)
                table.picture = {address: URL.createObjectURL(blob), width, height}
                table.quad ??= start(table)
            }
        } catch (error) {
            if (shown !== table) return
            state.textContent = ""
            wrong.textContent = inWords(error).join(" ")
        }
        if (shown !== table || !table.picture) return draw()
        const {address, width, height} = table.picture
        image.src = address
        place.style.setProperty("--ratio", width / height)
        outline.setAttribute("viewBox", `0 0 ${width} ${height}`)
        sheet.hidden = false
        draw()
    }

    /** The corners if nobody has said anything: those found, or else some within the photo. */
    function start({found, picture: {width, height}}) {
        const [left, right, top, bottom] = [INSET * width, (1 - INSET) * width, INSET * height, (1 - INSET) * height]
        return found ?? [[left, top], [right, top], [right, bottom], [left, bottom]]
    }

    function give(quad) {
        shown.quad = quad
        shown.given = true
        draw()
    }

    function forget() {
        shown.quad = start(shown)
        shown.given = false
        draw()
    }

    /** Moves a corner to a point of the photo, or as near as the photo reaches. */
    function move(index, [x, y]) {
        const {width, height} = shown.picture
        const point = [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)]
        give(shown.quad.map((corner, i) => i === index ? point : corner))
    }

    /** Where a corner was and where the pointer was when it was grabbed. */
    let grabbed = null
    function grab(event) {
        if (event.button !== 0) return
        event.preventDefault()
        const handle = event.currentTarget
        handle.focus({preventScroll: true})
        handle.setPointerCapture(event.pointerId)
        grabbed = {corner: shown.quad[handles.indexOf(handle)], from: [event.clientX, event.clientY]}
    }

    function drag(event) {
        const handle = event.currentTarget
        if (!handle.hasPointerCapture(event.pointerId)) return
        const scale = perScreenPixel(), {corner: [x, y], from} = grabbed
        move(handles.indexOf(handle), [x + (event.clientX - from[0]) * scale, y + (event.clientY - from[1]) * scale])
    }

    function step(event, index) {
        const way = ARROWS[event.key]
        if (!way || event.altKey || event.ctrlKey || event.metaKey) return
        event.preventDefault()
        const size = perScreenPixel() * (event.shiftKey ? STEP.large : STEP.small)
        move(index, shown.quad[index].map((value, axis) => value + way[axis] * size))
        const share = (value, whole) => Math.round(100 * value / whole)
        const {quad, picture: {width, height}} = shown
        spoken.textContent = t("table.at", {x: share(quad[index][0], width), y: share(quad[index][1], height)})
    }

    /** Pixels of the photo per pixel of the screen. */
    const perScreenPixel = () => shown.picture.width / image.clientWidth

    /** Shows what is under a corner larger, away from it; nothing for -1. */
    function magnify(index) {
        active = index
        glass.hidden = index < 0 || sheet.hidden
        if (glass.hidden) return
        const {quad, picture: {address, width, height}} = shown
        const size = [image.clientWidth, image.clientHeight].map(side => side * MAGNIFIED)
        const middle = [quad[index][0] / width * size[0], quad[index][1] / height * size[1]]
        glass.style.backgroundImage = `url("${address}")`
        glass.style.backgroundSize = `${size[0]}px ${size[1]}px`
        glass.style.backgroundPosition = `${glass.clientWidth / 2 - middle[0]}px ${glass.clientHeight / 2 - middle[1]}px`
        glass.classList.toggle("left", quad[index][0] > width / 2)
    }

    function draw() {
        const isShown = !sheet.hidden
        turn.disabled = !isShown
        reset.disabled = !shown.given || !isShown
        send.disabled = tables.some(({given, quad}) => given && !isClockwise(quad))
        if (!isShown) return
        const {quad, picture: {width, height}} = shown
        handles.forEach((handle, i) => {
            handle.style.left = `${100 * quad[i][0] / width}%`
            handle.style.top = `${100 * quad[i][1] / height}%`
        })
        const line = (a, b, kind) => svg("line", {x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: kind})
        const sound = isClockwise(quad)
        const inner = sound && shown.rows >= ROWS[0] && shown.rows <= ROWS[1] ? shown.rows - 1 : 0
        outline.replaceChildren(svg("polygon", {points: points(quad)}), line(quad[0], quad[1], "top"),
            ...Array.from({length: inner}, (_, i) => (i + 1) / shown.rows).map(v => line(within(quad, 0, v), within(quad, 1, v), "between")))
        state.textContent = t(shown.given ? "table.given" : shown.found ? "table.found" : "table.unknown")
        wrong.textContent = sound ? "" : t("table.crossed")
        magnify(active)
    }

    async function readAgain(event) {
        event.preventDefault()
        send.disabled = true
        fill(send, t("table.sending"))
        try {
            const hints = tables.map(hintOf).filter(Boolean)
            await call("POST", `/v1/jobs/${job.id}/read-again`, {language: job.language, hints})
            dialog.close("sent")
        } catch (error) {
            draw()
            wrong.textContent = inWords(error).join(" ")
            send.disabled = false
            fill(send, t("read.again"))
        }
    }

    dialog.classList.add("table")
    turnTo(first)
    return el("form", {onsubmit: readAgain},
        el("div", {class: "table-what"}, el("h2", {tabindex: "-1", autofocus: true}, t("table")), el("p", {}, t("table.what")), el("p", {id: "corner-keys", class: "quiet pointer-only"}, t("table.keys")), pages),
        place,
        el("div", {class: "table-said"}, state, wrong, spoken,
            el("div", {class: "row"}, turn, reset),
            el("div", {class: "counts"}, el("label", {}, el("span", {}, t("table.rows")), rows), el("label", {}, el("span", {}, t("table.columns")), columns)),
            dropsPins ? el("p", {class: "dropped"}, t("read.again.sure")) : null,
            el("p", {class: "actions"}, el("button", {type: "button", onclick: () => dialog.close("")}, t("cancel")), send)))
}
