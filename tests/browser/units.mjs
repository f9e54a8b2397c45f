// The page's own logic without a browser: pins, and the legal moves that the board shows.

import assert from "node:assert/strict"
import {readFileSync} from "node:fs"

/** A module of the page that imports nothing. */
function load(name) {
    const source = readFileSync(new URL(`../../src/service/page/${name}`, import.meta.url), "utf8")
    return import(`data:text/javascript,${encodeURIComponent(source)}`)
}

/** A review of plies given as "number colour san", with `+` before those left out before a cell. */
function review(...plies) {
    const parts = plies.map(text => text.replace("+", "").split(" "))
    const colour = {w: "white", b: "black"}
    return {
        cells: parts.map(([number, side], i) => ({number: Number(number), colour: colour[side], omitted: plies[i].startsWith("+")})),
        game: {plies: parts.map(([, , san]) => ({san: san ?? null}))},
    }
}

export async function checkPins() {
    const pins = await load("pins.js")
    const move = (number, colour, san) => ({pin: "move", number, colour, san})
    const missing = (number, colour, san) => ({pin: "missing", number, colour, san})
    const plain = review("1 w e4", "1 b e5", "2 w")
    assert.deepEqual(pins.setMove(plain, [move(1, "white", "d4")], 0, "c4"), [move(1, "white", "c4")], "the last word counts")
    assert.deepEqual(pins.setNotAMove(plain, [move(2, "white", "Nf3")], 2), [{pin: "not_a_move", number: 2, colour: "white"}])
    assert.deepEqual(pins.addMissing(plain, [], 1, null), [missing(1, "black", null)])
    assert.equal(pins.canBeNoMove(plain, [], 2), true)
    assert.equal(pins.lastMove(plain, 2), 1)

    const gap = review("1 w e4", "+2 w e5", "+2 w Nf3", "2 w Nc6")
    assert.deepEqual(pins.setMove(gap, [], 2, "f4"), [missing(2, "white", "e5"), missing(2, "white", "f4")], "moves left out are named together")
    assert.deepEqual(pins.addMissing(gap, [], 3, "d4"), ["e5", "Nf3", "d4"].map(san => missing(2, "white", san)), "before the cell, after those before it")
    assert.deepEqual(pins.addMissing(gap, [], 1, "d4"), ["d4", "e5", "Nf3"].map(san => missing(2, "white", san)), "before one that was left out")
    assert.deepEqual(pins.setNotAMove(gap, [missing(2, "white", "e5"), missing(2, "white", "Nf3")], 1), [missing(2, "white", "Nf3")])
    assert.equal(pins.canBeNoMove(gap, [], 1), false, "what nobody said cannot be taken back")
    assert.equal(pins.isSettled(gap, [move(2, "white", "Nc6")], 3), true)
    assert.equal(pins.isSettled(gap, [move(2, "white", "Nc6")], 2), false)
    assert.equal(pins.lastMove(gap, 2), 0, "a game ends with a written move")

    const ended = pins.setEnd(plain, pins.setEnd(plain, [], 0), 1)
    assert.deepEqual(ended, [{pin: "end", number: 1, colour: "black"}])
    assert.equal(pins.isEnd(plain, ended, 1), true)
    assert.deepEqual(pins.withoutEnd(ended), [])
    assert.deepEqual(pins.setHeader([{pin: "header", name: "White", value: "A"}], "White", ""), [])
    assert.deepEqual(pins.setResult([{pin: "result", result: "*"}], "1-0"), [{pin: "result", result: "1-0"}])
}

export async function checkQuads() {
    const {bounds, isClockwise, within} = await load("quad.js")
    const quad = [[10, 20], [90, 10], [120, 130], [0, 100]]
    const near = (a, b, what) => assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 1e-9, `${what}: ${a} is not ${b}`)
    for (const [i, [u, v]] of [[0, 0], [1, 0], [1, 1], [0, 1]].entries()) near(within(quad, u, v), quad[i], "a corner is a corner")
    // In perspective the middle is where the diagonals meet; here a trapezium whose top is half as wide as its bottom.
    near(within([[1, 0], [3, 0], [4, 3], [0, 3]], 0.5, 0.5), [2, 1], "the middle")
    assert.equal(isClockwise(quad), true)
    assert.equal(isClockwise([...quad].reverse()), false)
    assert.equal(isClockwise([quad[0], quad[2], quad[1], quad[3]]), false, "sides cross")
    assert.deepEqual(bounds(quad), [0, 10, 120, 130])
}

/** Positions with their number of legal moves, from the usual perft tables. */
const PERFT = [
    ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 20],
    ["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 48],
    ["8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 14],
    ["r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6],
    ["rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 44],
    ["rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 31],
]

export async function checkMoves() {
    const {inventory, isPromotion, targets} = await load("chess.js")
    for (const [fen, count] of PERFT) {
        const squares = Array.from({length: 64}, (_, i) => "abcdefgh"[i % 8] + (1 + Math.floor(i / 8)))
        const found = squares.flatMap(from => targets(fen, from).map(to => isPromotion(fen, from, to) ? 4 : 1))
        assert.equal(found.reduce((sum, one) => sum + one, 0), count, fen)
    }
    assert.deepEqual(inventory("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"), [["Ke1", "Rh1", "Pe2"], ["Ke8"]])
}
