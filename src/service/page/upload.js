// Handing photos in: dropped, picked or taken.

import {alarm, calm} from "./alarm.js"
import {Problem, call} from "./api.js"
import {el, fill, say} from "./dom.js"
import {letterOptions} from "./details.js"
import {t} from "./text.js"

const MODES = ["each", "pages", "both"]
/** How often a busy service is asked again, and after how many milliseconds. */
const RETRY = {times: 60, after: 3000}

const wait = time => new Promise(done => setTimeout(done, time))

/** Uploads one game's photos, given as [field, file]; waits where the service is busy. */
async function send(photos, letters) {
    for (let attempt = 0; ; attempt += 1) {
        const form = new FormData()
        for (const [field, file] of photos) form.append(field, file, file.name)
        if (letters) form.append("language", letters)
        try {
            return await call("POST", "/v1/jobs", form)
        } catch (error) {
            const busy = error instanceof Problem && [429, 503].includes(error.status)
            if (!busy || attempt === RETRY.times) throw error
            await wait(RETRY.after)
        }
    }
}

/** The part of the page where photos are handed in. `added(job)` is called for each job. */
export function makeUpload(added) {
    let mode = "each"
    /** Photos that wait until the game is complete: {field, file, address}. */
    let staged = []
    const choices = el("div", {class: "choices", role: "radiogroup", "aria-label": t("upload.mode")}, MODES.map(name => el("label", {},
        el("input", {type: "radio", name: "mode", value: name, checked: name === mode, onchange: () => choose(name)}),
        el("span", {}, el("strong", {}, t(`upload.${name}`)), el("small", {}, t(`upload.${name}.what`))))))
    const places = el("div", {class: "places"})
    const stage = el("ol", {class: "stage"})
    const letters = el("select", {}, letterOptions())
    const status = el("p", {class: "quiet", role: "status"})
    const go = el("button", {class: "main", onclick: () => upload([staged.map(({field, file}) => [field, file])])}, t("upload.go"))
    const clear = el("button", {onclick: () => restage([])}, t("upload.clear"))
    const element = el("section", {class: "upload", "aria-label": t("upload")},
        el("h1", {}, t("upload")), choices, places, stage, el("div", {class: "row", id: "staged"}, go, clear), status,
        el("details", {}, el("summary", {}, t("upload.more")), el("label", {class: "row"}, el("span", {}, t("letters")), letters)))

    function choose(name) {
        mode = name
        drawPlaces()
        restage([])
    }

    /** A place to drop photos for a field of the form. */
    function place(field, label) {
        const picked = event => {
            take(field, [...event.target.files])
            event.target.value = ""
        }
        const input = el("input", {type: "file", multiple: true, accept: "image/*,.heic,.heif,application/pdf", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: picked, "data-field": field})
        const camera = el("input", {type: "file", accept: "image/*", capture: "environment", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: picked})
        const area = el("div", {class: "place"}, el("p", {class: "label"}, label), el("p", {class: "quiet pointer-only"}, t("upload.drop")),
            el("div", {class: "row"}, el("button", {class: "main", onclick: () => input.click()}, t("upload.pick")),
                el("button", {class: "touch-only", onclick: () => camera.click()}, t("upload.camera"))), input, camera)
        for (const name of ["dragenter", "dragover"]) {
            area.addEventListener(name, event => {
                event.preventDefault()
                area.classList.add("over")
            })
        }
        for (const name of ["dragleave", "drop"]) area.addEventListener(name, () => area.classList.remove("over"))
        area.addEventListener("drop", event => {
            event.preventDefault()
            take(field, [...event.dataTransfer.files])
        })
        return area
    }

    function drawPlaces() {
        fill(places, mode === "both" ? [place("white", t("sheet.white")), place("black", t("sheet.black"))] : place("sheet", t(`upload.${mode}.place`)))
    }

    function take(field, files) {
        if (files.length === 0) return
        calm()
        // By name, so that pages taken one after the other are in order.
        files.sort((a, b) => a.name.localeCompare(b.name, undefined, {numeric: true}))
        if (mode === "each") upload(files.map(file => [[field, file]]))
        else restage([...staged, ...files.map(file => ({field, file, address: URL.createObjectURL(file)}))])
    }

    function restage(photos) {
        for (const {address} of staged.filter(photo => !photos.includes(photo))) URL.revokeObjectURL(address)
        staged = photos
        const move = (from, to) => {
            const photo = staged[from], others = staged.filter((_, i) => i !== from)
            restage([...others.slice(0, to), photo, ...others.slice(to)])
        }
        fill(stage, staged.map((photo, i) => el("li", {},
            photo.file.type === "application/pdf" ? null : el("img", {src: photo.address, alt: ""}), el("span", {}, mode === "both" ? `${t(`sheet.${photo.field}`)}: ` : `${i + 1}. `, photo.file.name),
            el("button", {class: "plain", disabled: i === 0, "aria-label": `${t("up")}: ${photo.file.name}`, onclick: () => move(i, i - 1)}, "↑"),
            el("button", {class: "plain", disabled: i === staged.length - 1, "aria-label": `${t("down")}: ${photo.file.name}`, onclick: () => move(i, i + 1)}, "↓"),
            el("button", {class: "plain", "aria-label": `${t("remove")}: ${photo.file.name}`, onclick: () => restage(staged.filter(other => other !== photo))}, "✕"))))
        element.querySelector("#staged").hidden = staged.length === 0
        go.disabled = mode === "both" && !["white", "black"].every(field => staged.some(photo => photo.field === field))
    }

    /** Uploads games one after the other; what one of them fails with does not stop the others. */
    async function upload(games) {
        go.disabled = true
        let failed = null, sent = 0
        for (const photos of games) {
            status.textContent = games.length > 1 ? t("upload.sending", {n: sent + 1, of: games.length}) : t("upload.sending.one")
            try {
                added(await send(photos, letters.value))
            } catch (error) {
                if (error instanceof Problem) error.detail = error.detail.startsWith(photos[0][1].name) ? error.detail : `${photos[0][1].name}: ${error.detail}`
                failed = error
            }
            sent += 1
        }
        status.textContent = ""
        restage([])
        if (failed) alarm(failed)
        else say(t("upload.sent", {n: games.length}))
    }

    drawPlaces()
    restage([])
    return element
}
