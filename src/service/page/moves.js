// The moves of a game: as a table in game order, or as a list of the unclear ones, worst first.

import {el, fill} from "./dom.js"
import {percent, t} from "./text.js"

/** Said of a status besides its colour. */
export const SIGNS = {clear: "", doubtful: "?", repaired: "≈", inferred: "+", illegal: "!", unread: "×", settled: "✓"}

/** `12.` or `12…` */
export function numberOf(ply) {
    return `${ply.number}${ply.colour === "white" ? "." : "…"}`
}

/** A row for each move number: [number, index of White's ply or null, index of Black's or null]. */
function rows(plies) {
    const found = []
    plies.forEach((ply, index) => {
        const last = found.at(-1)
        if (ply.colour === "black" && last && last[2] === null && last[0] === ply.number) last[2] = index
        else found.push(ply.colour === "white" ? [ply.number, index, null] : [ply.number, null, index])
    })
    return found
}

/** The panel of moves. `selected(index)` is called for a ply that was chosen, `ordered(order)` for "game" or "worst". */
export function makeMoves(selected, ordered) {
    const legend = el("p", {class: "legend"})
    const list = el("div", {class: "list", tabindex: "-1"})
    const radio = order => el("button", {class: "plain", onclick: () => ordered(order)}, t(`order.${order}`))
    const orders = {game: radio("game"), worst: radio("worst")}
    const element = el("section", {class: "moves", "aria-label": t("moves")},
        el("div", {class: "moves-tools", role: "group", "aria-label": t("order"), "aria-keyshortcuts": "w"}, orders.game, orders.worst), legend, list)

    function button(state, index) {
        const ply = state.review.game.plies[index]
        const look = state.isSettled(index) ? "settled" : ply.status
        const isCurrent = index === state.index
        const label = `${numberOf(ply)} ${t(ply.colour)} ${ply.san ?? t("no.move")}, ${t(`status.${look}`)}`
        return el("button", {
            class: `ply ${look}`, "aria-label": label, "aria-current": isCurrent ? "true" : null, tabindex: isCurrent ? "0" : "-1",
            onclick: () => selected(index),
        }, el("span", {class: "san"}, ply.san ?? ply.written.map(w => w.text).filter(Boolean).join(" / ") ?? ""),
        el("span", {class: "sign", "aria-hidden": "true"}, SIGNS[look]))
    }

    function table(state) {
        const cell = index => el("td", {}, index === null ? null : button(state, index))
        return el("table", {}, el("thead", {}, el("tr", {}, el("th", {scope: "col"}, t("number")), el("th", {scope: "col"}, t("white")), el("th", {scope: "col"}, t("black")))),
            el("tbody", {}, rows(state.review.game.plies).map(([number, white, black]) =>
                el("tr", {}, el("th", {scope: "row"}, String(number)), cell(white), cell(black)))))
    }

    function worstFirst(state) {
        const unclear = state.unclear()
        if (!unclear.length) return el("p", {class: "quiet"}, t("nothing.unclear"))
        return el("ol", {class: "worst"}, unclear.map(index => {
            const ply = state.review.game.plies[index]
            return el("li", {}, el("span", {class: "number"}, numberOf(ply)), button(state, index),
                el("span", {class: "quiet"}, ply.san ? percent(ply.confidence) : t(`status.${ply.status}`)))
        }))
    }

    return {
        element,
        update(state) {
            const hadFocus = list.contains(document.activeElement)
            for (const [order, choice] of Object.entries(orders)) choice.setAttribute("aria-pressed", String(order === state.order))
            const counts = {}
            state.review.game.plies.forEach((ply, index) => {
                const look = state.isSettled(index) ? "settled" : ply.status
                counts[look] = (counts[look] ?? 0) + 1
            })
            fill(legend, Object.keys(SIGNS).filter(look => counts[look]).map(look => el("span", {class: `look ${look}`},
                el("span", {class: "sign", "aria-hidden": "true"}, SIGNS[look]), ` ${counts[look]} ${t(`status.${look}`)}`)))
            const at = list.scrollTop
            fill(list, state.order === "worst" ? worstFirst(state) : table(state))
            list.scrollTop = at
            const current = list.querySelector("[aria-current]")
            current?.scrollIntoView({block: "nearest"})
            if (hadFocus) (current ?? list).focus({preventScroll: true})
        },
    }
}
