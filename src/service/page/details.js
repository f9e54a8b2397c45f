// What is known about the game besides its moves: tags, result, corrections, warnings, and the PGN.

import {alarm} from "./alarm.js"
import {call} from "./api.js"
import {ask, el, fill, say} from "./dom.js"
import {fromServer, language, t} from "./text.js"

const TAGS = ["White", "Black", "WhiteElo", "BlackElo", "Event", "Site", "Date", "Round"]
const RESULTS = ["*", "1-0", "1/2-1/2", "0-1"]
/** ISO 639 codes of the languages whose piece letters the service knows. */
const LETTERS = ["en", "de", "es", "it", "fr", "pt", "nl", "pl", "cs", "hu", "ro", "fi", "sv", "da", "no", "is", "et", "tr", "id", "ru", "uk", "bg", "sr", "el", "az"]

/** Choices of a language of piece letters, by name in the user's language. */
export function letterOptions() {
    const names = new Intl.DisplayNames(language, {type: "language"})
    const known = LETTERS.map(code => [code, names.of(code)]).sort((a, b) => a[1].localeCompare(b[1], language))
    return [el("option", {value: ""}, t("letters.found")), ...known.map(([code, name]) => el("option", {value: code}, name))]
}

/** A PGN tag in words, or as it is. */
function tagName(name) {
    const key = `tag.${name}`
    return t(key) === key ? name : t(key)
}

/** A pin in words. */
function describe(pin) {
    if (pin.pin === "result") return `${t("result")}: ${pin.result}`
    if (pin.pin === "header") return `${tagName(pin.name)}: ${pin.value}`
    const at = `${pin.number}${pin.colour === "white" ? "." : "…"}`
    if (pin.pin === "move") return `${at} ${pin.san}`
    if (pin.pin === "missing") return t("pin.missing", {at, san: pin.san ?? "?"})
    return t(`pin.${pin.pin}`, {at})
}

/** A link that opens the moves on Lichess; nothing is sent before it is clicked. */
function lichess(game) {
    const moves = []
    for (const ply of game.plies) {
        if (!ply.san) continue
        moves.push(ply.colour === "white" || !moves.length ? `${ply.number}.${ply.colour === "white" ? "" : ".."} ${ply.san}` : ply.san)
    }
    return `https://lichess.org/analysis/pgn/${encodeURIComponent(moves.join(" "))}`
}

async function copy(text, area) {
    try {
        await navigator.clipboard.writeText(text)
    } catch {
        // Without HTTPS there is no clipboard: the old way.
        area.select()
        document.execCommand("copy")
    }
    say(t("pgn.copied"))
}

/** The panel of a job's details; `restart` is called when the job is read again. */
export function makeDetails(job, act, restart) {
    const fields = el("div", {class: "fields"})
    const corrections = el("ul", {class: "plain-list"})
    const warnings = el("ul")
    const pgn = el("textarea", {readonly: true, rows: 8, spellcheck: "false", "aria-label": "PGN"})
    const copied = el("button", {}, t("pgn.copy"))
    const analysis = el("a", {class: "button", target: "_blank", rel: "noreferrer noopener"}, t("lichess"))
    const again = el("select", {"aria-label": t("letters")}, letterOptions())
    const part = (heading, ...content) => el("section", {}, el("h3", {}, heading), ...content)
    const corrected = part(t("corrections"), corrections), warned = part(t("warnings"), warnings)
    const element = el("section", {class: "details", "aria-label": t("tab.game")},
        fields,
        part("PGN", el("div", {class: "row"}, el("button", {onclick: () => act.save()}, t("pgn.save")), copied, analysis), pgn),
        corrected, warned,
        part(t("read.again"), el("p", {class: "quiet"}, t("read.again.why")), el("div", {class: "row"}, again, el("button", {onclick: readAgain}, t("read.again")))))
    copied.addEventListener("click", async () => {
        await copy(pgn.value, pgn)
        copied.textContent = `✓ ${t("pgn.copy")}`
        setTimeout(() => { copied.textContent = t("pgn.copy") }, 1500)
    })
    const inputs = new Map()

    async function readAgain() {
        const sure = await ask(t("read.again"), dialog => [el("h2", {}, t("read.again")), el("p", {}, t("read.again.sure")),
            el("p", {class: "actions"}, el("button", {onclick: () => dialog.close()}, t("cancel")),
                el("button", {class: "main", onclick: () => dialog.close("yes")}, t("read.again")))])
        if (!sure) return
        try {
            await call("POST", `/v1/jobs/${job.id}/read-again`, {language: again.value || null})
            restart()
        } catch (error) {
            alarm(error)
        }
    }

    function field(name) {
        const input = el("input", {type: "text", autocomplete: "off", maxlength: 120, placeholder: name === "Date" ? "2026.05.31" : null,
            onchange: event => act.setHeader(name, event.target.value.trim())})
        input.addEventListener("keydown", event => {
            if (event.key === "Escape") act.cancel()
        })
        inputs.set(name, input)
        return el("label", {class: `tag-${name}`}, el("span", {}, tagName(name)), input)
    }

    const result = el("select", {onchange: event => act.setResult(event.target.value)}, RESULTS.map(value =>
        el("option", {value}, value === "*" ? t("result.open") : value)))
    fields.append(...TAGS.map(field), el("label", {}, el("span", {}, t("result")), result))

    return {
        element,
        focus: () => inputs.get("White").focus(),
        update({review}) {
            const {game} = review
            for (const name of Object.keys(game.headers)) {
                if (!inputs.has(name)) fields.append(field(name))
            }
            for (const [name, input] of inputs) {
                if (document.activeElement !== input) input.value = game.headers[name] ?? ""
            }
            result.value = game.result
            pgn.value = game.pgn
            analysis.href = lichess(game)
            corrected.hidden = review.pins.length === 0
            fill(corrections, review.pins.map(pin => el("li", {}, el("span", {}, describe(pin)),
                el("button", {class: "plain", "aria-label": `${t("remove")}: ${describe(pin)}`, title: t("remove"), onclick: () => act.removePin(pin)}, "✕"))))
            warned.hidden = game.warnings.length === 0
            fill(warnings, game.warnings.map(text => el("li", {}, fromServer(text))))
        },
    }
}
