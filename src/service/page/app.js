// Starts the page: words, header, and one of the two views by the address behind #.

import {calm} from "./alarm.js"
import {el, fill, key} from "./dom.js"
import {showJobs} from "./jobs.js"
import {help} from "./keys.js"
import {showReview} from "./review.js"
import {LANGUAGES, language, loadWords, t} from "./text.js"

let leave = () => {}

function header() {
    const choose = el("select", {"aria-label": t("language"), onchange: async event => {
        await loadWords(event.target.value)
        show()
    }}, Object.entries(LANGUAGES).map(([code, name]) => el("option", {value: code, selected: code === language}, name)))
    document.getElementById("skip").textContent = t("skip")
    fill(document.getElementById("bar"),
        el("a", {class: "home", href: "#/"}, el("img", {src: "/assets/icon.svg", alt: "", width: 28, height: 28}), "Scoresheet"),
        el("div", {id: "tools"}),
        choose,
        el("button", {class: "plain", "aria-label": t("help"), "aria-keyshortcuts": "?", onclick: help}, key("?")))
}

function show() {
    leave()
    calm()
    header()
    const view = document.getElementById("view")
    const [, id] = /^#\/jobs\/([0-9a-f]+)$/.exec(location.hash) ?? []
    fill(view)
    view.className = id ? "review" : "jobs"
    const tools = document.getElementById("tools")
    leave = (id ? showReview(view, tools, id) : showJobs(view, tools)) ?? (() => {})
}

// The link that skips the header must not be taken for an address of the page.
document.getElementById("skip").addEventListener("click", event => {
    event.preventDefault()
    document.getElementById("view").focus()
})
window.addEventListener("hashchange", show)
// The review listens to this key itself.
document.addEventListener("keydown", event => {
    const isFree = document.querySelector("main.jobs") && !document.querySelector("dialog[open]")
    if (event.key === "?" && isFree && event.target.tagName !== "INPUT") help()
})
await loadWords()
show()
