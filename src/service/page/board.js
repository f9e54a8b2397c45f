// The boards before and after a move. A piece can be moved on the first.

import {inventory, isPromotion, targets} from "./chess.js"
import {Chessboard, INPUT_EVENT_TYPE} from "./cm-chessboard/Chessboard.js"
import {Svg} from "./cm-chessboard/lib/Svg.js"
import {EXTENSION_POINT, Extension} from "./cm-chessboard/model/Extension.js"
import {ask, el, svg} from "./dom.js"
import {t} from "./text.js"

/** Marked squares and dots on a board. */
class Marks extends Extension {
    constructor(chessboard) {
        super(chessboard)
        this.squares = []
        this.dots = []
        this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw())
    }

    draw() {
        const {view} = this.chessboard
        view.markersLayer.replaceChildren()
        for (const name of this.squares) {
            const {x, y} = view.squareToPoint(name)
            Svg.addElement(view.markersLayer, "rect", {x, y, width: view.squareWidth, height: view.squareHeight, class: "played"})
        }
        for (const name of this.dots) {
            const {x, y} = view.squareToPoint(name)
            const half = view.squareWidth / 2
            const taken = this.chessboard.getPiece(name)
            Svg.addElement(view.markersLayer, "circle", {cx: x + half, cy: y + half, r: half * (taken ? 0.88 : 0.3), class: taken ? "dot taken" : "dot"})
        }
    }
}

/** Asks which piece a pawn becomes: its letter in UCI, or "" if none was chosen. */
function promotion(white) {
    const pieces = [["q", "piece.queen"], ["r", "piece.rook"], ["b", "piece.bishop"], ["n", "piece.knight"]]
    return ask(t("promotion"), dialog => {
        // By the letter of English notation, or the first one of the piece's name.
        const choose = event => {
            const typed = event.key.toLowerCase()
            const [chosen] = pieces.find(([letter]) => letter === typed) ?? pieces.find(([, name]) => t(name)[0].toLowerCase() === typed) ?? []
            if (chosen) dialog.close(chosen)
        }
        return el("div", {class: "promotion", onkeydown: choose}, el("h2", {}, t("promotion")), el("div", {class: "row"},
            pieces.map(([letter, name]) => el("button", {"aria-label": t(name), title: t(name), onclick: () => dialog.close(letter)},
                svg("svg", {viewBox: "0 0 40 40", width: 56, height: 56}, svg("use", {href: `#${white ? "w" : "b"}${letter}`}))))))
    })
}

/**
 * Makes both boards. `moved(uci)` is called for a piece that was moved on the first, and says by a promise when the
 * outcome is there. `show(before, after, uci)` sets positions, `flip()` turns the boards.
 */
export function makeBoards(moved) {
    const places = [0, 1].map(() => el("div", {class: "board-place"}))
    const captions = [0, 1].map(() => el("figcaption"))
    const element = el("div", {class: "boards"}, places.map((place, i) => el("figure", {}, captions[i], place)))
    let boards = null
    let fens = [null, null]
    let underWay = 0
    let isPressed = false
    const press = event => { isPressed = event.type === "pointerdown" }
    const PRESSES = ["pointerdown", "pointerup", "pointercancel"]
    for (const name of PRESSES) document.addEventListener(name, press, true)

    /** Waits until no button or finger is down any more, and the board has seen that. */
    const released = () => new Promise(done => {
        if (!isPressed) return done()
        const heard = new AbortController()
        for (const name of ["pointerup", "pointercancel"]) {
            document.addEventListener(name, () => {
                heard.abort()
                setTimeout(done)
            }, {signal: heard.signal})
        }
    })

    function make() {
        boards = places.map(place => new Chessboard(place, {
            position: "8/8/8/8/8/8/8/8",
            assetsUrl: "/assets/",
            style: {cssClass: "scoresheet", pieces: {file: "pieces.svg"}},
            extensions: [{class: Marks}],
        }))
        boards[0].enableMoveInput(input)
    }

    /** Sets a position. Its pieces stand there some frames later, and until then none of them can be moved. */
    async function set(board, fen) {
        underWay += 1
        element.ariaBusy = "true"
        await board.setPosition(fen, false)
        underWay -= 1
        if (underWay === 0) element.ariaBusy = "false"
    }

    function dots(names) {
        const marks = boards[0].getExtension(Marks)
        marks.dots = names
        marks.draw()
    }

    function input(event) {
        if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
            if (underWay > 0) return false
            const open = targets(fens[0], event.squareFrom)
            dots(open)
            return open.length > 0
        }
        if (event.type === INPUT_EVENT_TYPE.validateMoveInput) {
            dots([])
            if (!targets(fens[0], event.squareFrom).includes(event.squareTo)) return false
            event.animate = false
            finish(event.squareFrom, event.squareTo)
            return true
        }
        if (event.type === INPUT_EVENT_TYPE.moveInputCanceled) dots([])
        return true
    }

    async function finish(from, to) {
        const fen = fens[0]
        // The board is done with a move when the pointer goes up on it, not on a dialog.
        await released()
        const letter = isPromotion(fen, from, to) ? await promotion(fen.split(" ")[1] === "w") : ""
        if (letter || !isPromotion(fen, from, to)) await moved(from + to + letter)
        // Whatever came of it, the board shows the position before the move that is looked at.
        set(boards[0], fens[0])
    }

    function describe(place, name, fen) {
        const [white, black] = inventory(fen).map(pieces => pieces.join(" "))
        const picture = place.querySelector("svg")
        picture.setAttribute("aria-label", `${name}. ${t("board.pieces", {white, black})}`)
    }

    return {
        element,
        show(before, after, uci, names) {
            if (!boards) make()
            fens = [before, after]
            const squares = uci ? [uci.slice(0, 2), uci.slice(2, 4)] : []
            boards.forEach((board, i) => {
                captions[i].textContent = names[i]
                const marks = board.getExtension(Marks)
                marks.squares = squares
                marks.dots = []
                set(board, fens[i])
                marks.draw()
                describe(places[i], names[i], fens[i])
            })
        },
        flip() {
            for (const board of boards ?? []) board.setOrientation(board.getOrientation() === "w" ? "b" : "w")
        },
        destroy() {
            for (const name of PRESSES) document.removeEventListener(name, press, true)
            for (const board of boards ?? []) board.destroy()
        },
    }
}
