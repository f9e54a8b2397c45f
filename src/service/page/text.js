// The words of the page, in the user's language: one JSON file for each.

export const LANGUAGES = {en: "English", de: "Deutsch"}
const STORED = "scoresheet.language"
let words = {}
let templates = []
let plural = new Intl.PluralRules("en")
export let language = "en"

/** The language chosen before, or else the browser's, or else English. */
function preferred() {
    const stored = localStorage.getItem(STORED)
    const wanted = stored ? [stored] : navigator.languages ?? [navigator.language]
    const known = wanted.map(code => code.slice(0, 2).toLowerCase()).find(code => code in LANGUAGES)
    return known ?? "en"
}

/** Loads the words of a language; of the preferred one if none is named. */
export async function loadWords(code) {
    if (code) localStorage.setItem(STORED, code)
    language = code ?? preferred()
    const answer = await fetch(`/assets/${language}.json`)
    words = await answer.json()
    plural = new Intl.PluralRules(language)
    templates = Object.entries(words.server).map(([said, meant]) => [pattern(said), meant])
    document.documentElement.lang = language
}

/** The words for a key; `{name}` is replaced by `values.name`, and `values.n` chooses between key.one and key.other. */
export function t(key, values = {}) {
    const chosen = words[key] ?? words[`${key}.${plural.select(values.n ?? 0)}`] ?? words[`${key}.other`] ?? key
    return chosen.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
}

/** A template of the server's words, such as `read as {a}; it may also be {b}`, as an expression. */
function pattern(template) {
    const source = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*)")
    return new RegExp(`^${source}$`, "s")
}

/** What the server says, in the user's language where its wording is known, as it is otherwise. */
export function fromServer(text) {
    for (const [expression, meant] of templates) {
        const found = expression.exec(text)
        if (found) return meant.replace(/\{(\w+)\}/g, (whole, name) => found.groups?.[name] ?? whole)
    }
    return text
}

/** A share as whole per cent; nothing is said to be wholly certain. */
export function percent(share) {
    const shown = new Intl.NumberFormat(language, {style: "percent"}).format(Math.min(share, 0.99))
    return share > 0.99 ? `> ${shown}` : shown
}

/** A point in time, short, as the user's country writes it. */
export function when(time) {
    const local = navigator.languages?.find(code => code.slice(0, 2).toLowerCase() === language) ?? language
    return new Intl.DateTimeFormat(local, {dateStyle: "short", timeStyle: "short"}).format(new Date(time))
}
