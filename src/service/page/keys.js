// The keyboard: what each key does, and the page that says so.

import {ask, el, key} from "./dom.js"
import {SIGNS} from "./moves.js"
import {t} from "./text.js"

/** Keys of the review by what they do; the names are those of the actions and of the words `keys.NAME`. */
const KEYS = {
    confirm: ["Enter"],
    candidate: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    nextUnclear: ["n"],
    previousUnclear: ["p"],
    previousPly: ["ArrowLeft"],
    nextPly: ["ArrowRight"],
    previousMove: ["ArrowUp"],
    nextMove: ["ArrowDown"],
    firstPly: ["Home"],
    lastPly: ["End"],
    missing: ["m"],
    notAMove: ["x"],
    end: ["."],
    undo: ["u", "Ctrl+z"],
    redo: ["r", "Ctrl+y", "Ctrl+Shift+z"],
    whiteWon: ["j"],
    draw: ["k"],
    blackWon: ["l"],
    changeOrder: ["w"],
    details: ["i"],
    zoomIn: ["+"],
    zoomOut: ["-"],
    wholePhoto: ["v"],
    table: ["t"],
    save: ["Ctrl+s"],
    nextSheet: ["PageDown"],
    previousSheet: ["PageUp"],
    cancel: ["Escape"],
    help: ["?"],
}

/** Keys that only work once nothing is unclear; before that they may begin a move. */
const AT_THE_END = ["whiteWon", "draw", "blackWon"]

const SHOWN = {ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Enter: "⏎", Escape: "Esc", PageDown: "Page ↓", PageUp: "Page ↑"}

const BY_KEY = new Map(Object.entries(KEYS).flatMap(([name, keys]) => keys.map(one => [one, name])))

/** The name of a key as in the table above. */
function nameOf(event) {
    const base = event.key.length === 1 && (event.ctrlKey || event.metaKey) ? event.key.toLowerCase() : event.key
    const ctrl = event.ctrlKey || event.metaKey ? "Ctrl+" : ""
    return `${ctrl}${ctrl && event.shiftKey ? "Shift+" : ""}${base}`
}

/** True where keys are the element's own. */
function takesKeys(element) {
    return element.closest("dialog") || ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName)
}

/**
 * Listens for the keys of the review and returns a function that ends this. `act` holds the actions by name;
 * anything else that begins a move goes to `field`.
 */
export function listen(act, field) {
    const pressed = event => {
        const {target} = event
        if (event.defaultPrevented || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return
        const found = BY_KEY.get(nameOf(event))
        const name = AT_THE_END.includes(found) && !act.isDone() ? undefined : found
        const isButton = ["BUTTON", "A", "SUMMARY"].includes(target.tagName) && !target.closest(".moves .list")
        if (takesKeys(target) && name !== "save") return
        if (isButton && event.key === "Enter") return
        if (target.closest(".scroller") && event.key.startsWith("Arrow")) return
        if (name) {
            event.preventDefault()
            if (name === "candidate") act.choose(Number(event.key) - 1)
            else if (name === "help") help()
            else act[name]()
        } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && /[\p{L}0♔-♟]/u.test(event.key)) {
            // The key that comes after this event is typed into the field.
            field.value = ""
            field.focus()
        }
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
}

/** Shows what every key does and what the signs mean. */
export function help() {
    const shown = one => one.split("+").map(part => SHOWN[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join("+")
    const keysOf = (name, keys) => name === "candidate" ? ["1", "–", "9"] : keys.map(one => one === "+" ? "+" : shown(one))
    return ask(t("help"), dialog => [
        el("h2", {tabindex: "-1", autofocus: true}, t("help")),
        el("p", {}, t("help.typing")),
        el("dl", {class: "help"}, Object.entries(KEYS).map(([name, keys]) => el("div", {},
            el("dt", {}, keysOf(name, keys).map(one => el("kbd", {}, one))), el("dd", {}, t(`keys.${name}`))))),
        el("dl", {class: "help signs"}, Object.keys(SIGNS).map(look => el("div", {},
            el("dt", {}, el("span", {class: `badge ${look}`}, `${SIGNS[look]} ${t(`status.${look}`)}`)), el("dd", {}, t(`meaning.${look}`))))),
        el("p", {class: "actions"}, el("a", {href: "/docs"}, t("help.api")), el("button", {class: "main", onclick: () => dialog.close()}, t("close")))])
}
