// What went wrong, said where everyone sees and hears it.

import {inWords} from "./api.js"
import {el, fill} from "./dom.js"
import {t} from "./text.js"

/** Shows what went wrong and what to do next, until it is dismissed or `calm` is called. */
export function alarm(error) {
    const [detail, next] = inWords(error)
    fill(document.getElementById("alert"), el("div", {class: "alarm"},
        el("p", {}, el("strong", {}, detail), " ", next),
        el("button", {class: "plain", "aria-label": t("close"), onclick: calm}, "✕")))
}

/** Shows a sentence until something else happens. */
export function notice(text) {
    fill(document.getElementById("alert"), el("div", {class: "alarm notice"}, el("p", {}, text)))
}

/** Takes the last alarm away. */
export function calm() {
    document.getElementById("alert").replaceChildren()
}
