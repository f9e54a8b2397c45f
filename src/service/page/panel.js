// The move that is looked at: its ink, what was made of it, and what can be said about it.

import {el, fill, key} from "./dom.js"
import {SIGNS, numberOf} from "./moves.js"
import {canBeNoMove, isEnd, lastMove} from "./pins.js"
import {fromServer, percent, t} from "./text.js"

/** Candidates that have a key of their own. */
const KEYS = 9

const cropAddress = (id, cell, written) => `/v1/jobs/${id}/cells/${written.sheet}/${cell.number}/${cell.colour}`

/** Loads the pictures of a ply before they are wanted. */
export function preload(id, review, index) {
    const cell = review.cells[index]
    if (!cell.omitted) review.game.plies[index].written.forEach(written => { new Image().src = cropAddress(id, cell, written) })
}

/** The panel of a job's current move; `act` holds what can be done, by name. */
export function makePanel(id, act, boards) {
    const crops = el("div", {class: "crops"})
    const heading = el("h2", {tabindex: "-1"})
    const reason = el("p", {class: "reason"})
    const written = el("p", {class: "quiet written"})
    const candidates = el("div", {class: "candidates", role: "group", "aria-label": t("candidates")})
    const button = (name, shortcut, kind = "") => el("button", {class: kind, "aria-keyshortcuts": shortcut, onclick: () => act[name]()})
    const right = button("confirm", "Enter", "main")
    const missing = button("missing", "m")
    const notAMove = button("notAMove", "x")
    const end = button("end", ".")
    const field = el("input", {
        type: "text", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", enterkeyhint: "done", maxlength: "20",
    })
    const label = el("label", {}, el("span"), field)
    const form = el("form", {class: "typing", onsubmit: event => {
        event.preventDefault()
        act.type(field.value.trim())
    }}, label, el("button", {}, t("set")))
    field.addEventListener("keydown", event => {
        if (event.key !== "Escape") return
        event.stopPropagation()
        field.value = ""
        act.stopMissing()
        heading.focus()
    })
    const finish = el("div", {class: "finish"})
    const element = el("section", {class: "current", "aria-label": t("current")},
        finish, crops, el("div", {class: "said"}, heading, reason, written), candidates,
        el("div", {class: "row deciding"}, right, form),
        el("div", {class: "row more"}, missing, notAMove, end), boards.element)

    function showCrops(cell, ply) {
        const wanted = cell.omitted ? [] : ply.written
        const addresses = wanted.map(w => cropAddress(id, cell, w))
        if (crops.dataset.shown === addresses.join() && addresses.length) return
        crops.dataset.shown = addresses.join()
        fill(crops, addresses.length ? addresses.map((src, i) => el("figure", {},
            el("img", {src, alt: t("crop.alt", {text: wanted[i].text || t("nothing")})}))) : el("p", {class: "quiet"}, t("crop.none")))
    }

    function showHeading(state, ply) {
        const look = state.isSettled(state.index) ? "settled" : ply.status
        fill(heading, `${numberOf(ply)} ${ply.san ?? t("no.move")} `, el("span", {class: `badge ${look}`},
            el("span", {"aria-hidden": "true"}, SIGNS[look] || "✓"), " ", t(`status.${look}`),
            look !== "settled" && ply.san ? ` · ${percent(ply.confidence)}` : ""))
        fill(reason, ply.reason && look !== "settled" ? fromServer(ply.reason) : "")
        fill(written, ply.written.length ? [t("written"), ": ", ply.written.map((w, i) =>
            [i ? " · " : "", el("q", {}, w.text || " "), ` ${percent(w.confidence)}`]).flat()] : "",
        ply.clock ? ` · ${t("clock")} ${ply.clock}` : "", ply.draw_offer ? ` · ${t("draw.offer")}` : "")
    }

    function showCandidates(state, ply) {
        const hadFocus = candidates.contains(document.activeElement)
        const others = ply.candidates.slice(0, KEYS)
        fill(candidates, others.map((candidate, i) => el("button", {
            class: "candidate", "aria-keyshortcuts": String(i + 1), "aria-pressed": String(candidate.san === ply.san),
            onclick: () => act.choose(i),
        }, key(String(i + 1)), el("span", {class: "san"}, candidate.san), el("span", {class: "quiet"}, percent(candidate.probability)))))
        candidates.hidden = others.length === 0
        if (hadFocus) heading.focus({preventScroll: true})
    }

    function showFinish(state) {
        const {result, result_origin: origin} = state.review.game
        const done = state.unclear().length === 0
        finish.hidden = !done
        if (!done) return
        fill(finish, el("strong", {}, "✓ ", t("all.checked")),
            result === "*" ? el("span", {class: "row"}, t("result.ask"), [["1-0", "j"], ["1/2-1/2", "k"], ["0-1", "l"]].map(([value, letter]) =>
                el("button", {onclick: () => act.setResult(value), "aria-keyshortcuts": letter}, value, key(letter.toUpperCase())))) : el("span", {}, t("result.is", {result}), origin ? ` (${t(`result.${origin.source}`)})` : ""),
            el("button", {class: "main", onclick: act.nextSheet, "aria-keyshortcuts": "Enter"}, t("next.sheet"), key("⏎")))
    }

    return {
        element, field, heading,
        update(state) {
            const {review, index} = state
            const ply = review.game.plies[index], cell = review.cells[index]
            showFinish(state)
            showCrops(cell, ply)
            showHeading(state, ply)
            showCandidates(state, ply)
            const settled = state.isSettled(index)
            const over = state.isBehindTheEnd()
            fill(right, t(over ? "end.before" : settled ? "next.unclear" : "looks.right"), key("⏎"))
            right.disabled = !ply.san && !over
            // Where nothing is left to check, Enter goes to the next sheet, as said above.
            right.hidden = !over && state.unclear().length === 0
            label.firstChild.textContent = state.missing ? t("type.missing", {number: numberOf(ply)}) : t("type")
            field.placeholder = state.missing ? t("type.unknown") : t("type.example")
            form.classList.toggle("asking", state.missing)
            fill(missing, t("missing", {number: numberOf(ply)}), key("M"))
            missing.setAttribute("aria-pressed", String(state.missing))
            fill(notAMove, t("not.a.move"), key("X"))
            notAMove.disabled = !canBeNoMove(review, review.pins, index)
            const last = ply.san ? index : lastMove(review, index)
            const ended = last >= 0 && isEnd(review, review.pins, last)
            fill(end, t(ended ? "end.not" : ply.san ? "end.here" : "end.before"), key("."))
            end.disabled = last < 0 || (Boolean(ply.san) && cell.omitted)
            boards.show(review.fens[index], review.fens[index + 1], ply.uci, [
                t("board.before", {side: t(review.fens[index].split(" ")[1] === "w" ? "white.to.move" : "black.to.move")}),
                ply.san ? t("board.after", {move: `${numberOf(ply)} ${ply.san}`}) : t("board.same")])
        },
    }
}
