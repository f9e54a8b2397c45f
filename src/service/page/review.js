// The view of one job: while it is read, why it was not read, or its game under review.

import {alarm, calm, notice} from "./alarm.js"
import {Problem, call, follow, isOver, pageAddress, title} from "./api.js"
import {makeBoards} from "./board.js"
import {makeDetails} from "./details.js"
import {el, fill, key, save, say} from "./dom.js"
import {listen} from "./keys.js"
import {makeMoves, numberOf} from "./moves.js"
import {makePanel, preload} from "./panel.js"
import {makePhoto} from "./photo.js"
import * as pins from "./pins.js"
import {progressOf} from "./progress.js"
import {Game} from "./state.js"
import {showTable} from "./table.js"
import {fromServer, t} from "./text.js"

/** After how many milliseconds a change is said to take long. */
const SLOW = 1500
/** What is wrong with photos that can be looked at. */
const SEEN = ["blank", "no-table", "starts-late", "unreadable"]
const TABS = ["current", "photo", "moves", "game"]

/** Shows a job in `view`, with its buttons in `tools`; returns what is to be called when it is left. */
export function showReview(view, tools, id) {
    let gone = false
    const ends = []
    const endAll = () => ends.splice(0).forEach(end => end())
    const start = async () => {
        endAll()
        fill(tools)
        try {
            const job = await call("GET", `/v1/jobs/${id}`)
            if (gone) return
            document.title = `${title(job)} – Scoresheet`
            if (job.state === "done") {
                const review = await call("GET", `/v1/jobs/${id}/review`)
                if (gone) return
                ends.push(reviewGame(view, tools, job, review, start))
                // Why it was not read once more: this is the game of before.
                if (job.problem) alarm(new Problem(job.problem.status, job.problem))
            } else if (isOver(job)) failed(view, job, start)
            else {
                fill(view, el("div", {class: "waiting"}, el("h1", {}, title(job)), progressOf(job)))
                ends.push(follow(id, changed => {
                    if (isOver(changed)) start()
                    else fill(view.querySelector(".waiting") ?? view, el("h1", {}, title(job)), progressOf(changed))
                }))
            }
        } catch (error) {
            if (gone) return
            alarm(error)
            fill(view, el("p", {class: "waiting"}, el("a", {href: "#/"}, t("back"))))
        }
    }
    start()
    return () => {
        gone = true
        endAll()
        fill(tools)
    }
}

/** Says why a job was not read. */
function failed(view, job, start) {
    const again = async () => {
        await call("POST", `/v1/jobs/${job.id}/read-again`, {language: null}).catch(alarm)
        start()
    }
    const photo = job.photos.find(({name}) => job.problem?.detail.startsWith(name)) ?? job.photos[0]
    const byHand = async () => {
        if (await showTable(job, null, photo)) start()
    }
    const isSeen = SEEN.some(kind => job.problem?.type.endsWith(`:${kind}`))
    const picture = isSeen ? el("img", {src: pageAddress(job.id, photo.sheet, photo.page), alt: photo.name}) : null
    fill(view, el("div", {class: "waiting"}, el("h1", {}, title(job)), el("p", {}, el("strong", {}, t(`state.${job.state}`))),
        job.problem ? el("p", {}, fromServer(job.problem.detail), " ", fromServer(job.problem.next_step)) : null,
        el("p", {class: "row"}, el("a", {class: "button main", href: "#/"}, t("back")), el("button", {onclick: again}, t("read.again")),
            el("button", {onclick: byHand}, t("table.open"))), picture))
}

/** The review of a game; returns what is to be called when it is left. */
function reviewGame(view, tools, job, first, restart) {
    const game = new Game(job.id, first)
    const boards = makeBoards(uci => act.move(uci))

    const reached = index => {
        calm()
        game.missing = false
        game.select(index)
        update()
        const ply = game.ply()
        say(`${numberOf(ply)} ${t(ply.colour)} ${ply.san ?? t("no.move")}, ${t(`status.${game.look()}`)}. ${ply.reason ? fromServer(ply.reason) : ""}`)
    }

    /**
     * Changes the pins. Afterwards, if the user stayed where they were, goes to the next unclear ply if `goOn` is true,
     * or to the place that it names.
     */
    const change = async (make, goOn, where = game.index) => {
        const place = game.placeOf(where)
        game.missing = false
        calm()
        view.classList.add("busy")
        const slow = setTimeout(() => notice(t("working")), SLOW)
        try {
            const [before, after] = await game.change(make, place)
            calm()
            if (goOn && game.isAt(place)) reached(goOn === true ? game.nextUnclear(1) ?? game.index : game.find(goOn))
            else update()
            const others = [...after].filter(([at, san]) => san && before.get(at) !== san && !at.startsWith(`${place.number} ${place.colour} `)).length
            if (others) notice(t("others.changed", {n: others}))
        } catch (error) {
            game.forgetConfirmed()
            game.selectPlace(place)
            update()
            alarm(error)
        } finally {
            clearTimeout(slow)
            view.classList.toggle("busy", game.isBusy())
        }
    }

    const setMove = (san, index = game.index) => change((review, list, at) => pins.setMove(review, list, at, san), true, index)

    const addMissing = san => {
        const {index, review} = game
        const place = {...review.cells[index], omitted: true}
        place.nth = review.cells.slice(0, index).filter(cell => pins.isSame(cell, place)).length
        return change((now, list, at) => pins.addMissing(now, list, at, san), place)
    }

    const act = {
        confirm() {
            const ply = game.ply()
            if (game.isBehindTheEnd()) return act.end()
            if (game.unclear().length === 0) return act.nextSheet()
            if (game.isSettled(game.index) || !ply.san) return reached(game.nextUnclear(1) ?? game.index)
            // The game stays as it is shown, so there is no need to wait for the answer.
            const index = game.index
            const changed = setMove(ply.san, index)
            game.confirm(index)
            const next = game.nextUnclear(1)
            if (next === null) update()
            else reached(next)
            return changed
        },
        choose(i) {
            const candidate = game.ply().candidates[i]
            if (!candidate) return
            if (candidate.san === game.ply().san && !game.isSettled(game.index)) act.confirm()
            else setMove(candidate.san)
        },
        type(text) {
            if (!text && !game.missing) return
            const isMissing = game.missing
            panel.field.value = ""
            panel.heading.focus({preventScroll: true})
            if (isMissing) addMissing(text || null)
            else setMove(text)
        },
        move: uci => game.missing ? addMissing(uci) : setMove(uci),
        missing() {
            game.missing = !game.missing
            update()
            if (game.missing) panel.field.focus()
            else panel.heading.focus()
        },
        stopMissing() {
            game.missing = false
            update()
        },
        notAMove() {
            const isOnly = game.review.game.plies.length === 1
            if (!isOnly && pins.canBeNoMove(game.review, game.review.pins, game.index)) change(pins.setNotAMove, true)
        },
        end() {
            const {review, index} = game
            const last = game.ply().san ? index : pins.lastMove(review, index)
            if (last < 0 || review.cells[last].omitted) return
            const ended = pins.isEnd(review, review.pins, last)
            game.select(last)
            change((now, list, at) => ended ? pins.withoutEnd(list) : pins.setEnd(now, list, at), !ended)
        },
        undo: () => step("undo"),
        redo: () => step("redo"),
        setResult: result => change((_, list) => pins.setResult(list, result), false),
        setHeader: (name, value) => change((_, list) => pins.setHeader(list, name, value), false),
        removePin: pin => change((_, list) => list.filter(one => JSON.stringify(one) !== JSON.stringify(pin)), false),
        whiteWon: () => act.setResult("1-0"),
        draw: () => act.setResult("1/2-1/2"),
        blackWon: () => act.setResult("0-1"),
        isDone: () => game.unclear().length === 0,
        nextUnclear: () => reached(game.nextUnclear(1) ?? game.index),
        previousUnclear: () => reached(game.nextUnclear(-1) ?? game.index),
        previousPly: () => reached(game.index - 1),
        nextPly: () => reached(game.index + 1),
        previousMove: () => reached(game.index - 2),
        nextMove: () => reached(game.index + 2),
        firstPly: () => reached(0),
        lastPly: () => reached(Infinity),
        changeOrder() {
            game.order = game.order === "game" ? "worst" : "game"
            update()
        },
        details() {
            showTab("game")
            details.focus()
        },
        zoomIn: () => photo.zoomBy(1.3),
        zoomOut: () => photo.zoomBy(1 / 1.3),
        wholePhoto: () => photo.toggle(),
        async table() {
            await game.settled()
            if (await showTable(job, game.review, photo.page())) restart()
        },
        async save() {
            await game.settled()
            const {headers} = game.review.game
            const name = [headers.White, headers.Black].filter(Boolean).join("-") || job.photos[0].name.replace(/\.\w+$/, "")
            save(`${name.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.pgn`, game.review.game.pgn, "application/x-chess-pgn")
            say(t("pgn.saved"))
        },
        nextSheet: () => otherSheet(1),
        previousSheet: () => otherSheet(-1),
        cancel() {
            calm()
            if (game.missing) act.stopMissing()
            if (view.dataset.tab !== "game") return
            showTab(narrow.matches ? "current" : "moves")
            panel.heading.focus({preventScroll: true})
        },
    }

    async function step(way) {
        calm()
        view.classList.add("busy")
        const changed = await game[way]().catch(alarm)
        view.classList.toggle("busy", game.isBusy())
        update()
        if (changed) say(t(`${way}.done`))
    }

    /** Goes to the next sheet with unclear moves, in the order of the list. */
    async function otherSheet(way) {
        try {
            await game.settled()
            const found = await neighbours(job.id, way)
            location.hash = found ? `#/jobs/${found}` : "#/"
        } catch (error) {
            alarm(error)
        }
    }

    const narrow = matchMedia("(max-width: 899px)")
    const chosen = index => {
        reached(index)
        if (narrow.matches) showTab("current")
    }
    const photo = makePhoto(job.id, chosen, () => act.table())
    const moves = makeMoves(chosen, order => {
        game.order = order
        update()
    })
    const panel = makePanel(job.id, act, boards)
    const details = makeDetails(job, act, restart)
    const tabs = el("nav", {class: "tabs", "aria-label": t("parts")}, TABS.map(name =>
        el("button", {class: "plain", "data-tab": name, onclick: () => showTab(name)}, t(`tab.${name}`))))
    const tool = (name, sign, shortcut, letter) => el("button", {class: "plain", "aria-label": t(name), "aria-keyshortcuts": shortcut, onclick: () => act[name]()},
        el("span", {"aria-hidden": "true"}, sign), el("span", {class: "word"}, t(name)), key(letter))
    const undo = tool("undo", "↶", "u Control+z", "U"), redo = tool("redo", "↷", "r Control+y", "R")
    const todo = el("button", {class: "todo", "aria-keyshortcuts": "n", onclick: () => act.nextUnclear()})
    const name = el("h1", {class: "name"})

    function showTab(tab) {
        view.dataset.tab = tab
        for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.dataset.tab === tab))
        if (tab === "photo") photo.refit()
        if (tab === "current") update()
    }

    function update() {
        const {headers} = game.review.game
        name.textContent = headers.White || headers.Black ? `${headers.White ?? "?"} – ${headers.Black ?? "?"}` : title({...job, summary: null})
        const left = game.unclear().length
        fill(todo, left ? [t("to.check", {n: left}), key("N")] : ["✓ ", t("checked")])
        todo.classList.toggle("none", left === 0)
        undo.disabled = !game.canUndo()
        redo.disabled = !game.canRedo()
        panel.update(game)
        moves.update(game)
        details.update(game)
        photo.update(game.review, game.index)
        const next = game.nextUnclear(1)
        if (next !== null) preload(job.id, game.review, next)
    }

    fill(tools, name, todo, undo, redo, el("button", {"aria-label": t("pgn.save"), "aria-keyshortcuts": "Control+s", onclick: act.save}, el("span", {"aria-hidden": "true"}, "⤓"), el("span", {class: "word"}, t("pgn.save"))))
    fill(view, tabs, photo.element, panel.element, el("div", {class: "side"}, moves.element, details.element))
    showTab(narrow.matches ? "current" : "moves")
    game.select(game.nextUnclear(1, true) ?? 0)
    update()
    panel.heading.focus({preventScroll: true})
    const deaf = listen(act, panel.field)
    return () => {
        deaf()
        boards.destroy()
        delete view.dataset.tab
        view.classList.remove("busy")
    }
}

/** The next job (`way` 1) or the one before (-1) that is done and has unclear moves; null if there is none. */
async function neighbours(id, way) {
    const all = []
    let after = ""
    do {
        const page = await call("GET", `/v1/jobs?state=done&limit=200${after && `&after=${after}`}`)
        all.push(...page.jobs)
        after = page.next
    } while (after)
    const here = all.findIndex(job => job.id === id)
    const others = [...all.slice(here + 1), ...all.slice(0, Math.max(here, 0))]
    if (way < 0) others.reverse()
    return others.find(job => job.summary?.to_review > 0)?.id ?? null
}
