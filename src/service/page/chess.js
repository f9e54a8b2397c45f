// Legal moves of a position, so that the board can show where a piece may go. What counts is decided by the service.

const STEPS = {
    n: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]],
    b: [[1, 1], [1, -1], [-1, -1], [-1, 1]],
    r: [[1, 0], [0, -1], [-1, 0], [0, 1]],
}
STEPS.q = STEPS.k = [...STEPS.b, ...STEPS.r]

/** A position from its FEN: `squares[file + 8 * rank]` holds a piece as in FEN, or null. */
function position(fen) {
    const [placement, turn, castling, passing] = fen.split(" ")
    const squares = new Array(64).fill(null)
    placement.split("/").forEach((row, index) => {
        let file = 0
        for (const letter of row) {
            if (letter >= "1" && letter <= "8") file += Number(letter)
            else squares[file++ + 8 * (7 - index)] = letter
        }
    })
    return {squares, white: turn === "w", castling, passing: passing === "-" ? -1 : square(passing)}
}

const square = name => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49)
const nameOf = index => String.fromCharCode(97 + index % 8) + (1 + Math.floor(index / 8))
const isWhite = piece => piece === piece.toUpperCase()

/** The square some steps away, or -1 if that is off the board. */
function step(from, [x, y]) {
    const file = from % 8 + x, rank = Math.floor(from / 8) + y
    return file >= 0 && file < 8 && rank >= 0 && rank < 8 ? file + 8 * rank : -1
}

/** Where a piece other than a pawn goes from a square, own pieces left out. */
function* reach(squares, from, kind, white) {
    for (const way of STEPS[kind]) {
        for (let to = step(from, way); to >= 0; to = step(to, way)) {
            if (!squares[to] || isWhite(squares[to]) !== white) yield to
            if (squares[to] || kind === "n" || kind === "k") break
        }
    }
}

/** Whether a side attacks a square. */
function isAttacked(squares, target, byWhite) {
    return squares.some((piece, from) => {
        if (!piece || isWhite(piece) !== byWhite) return false
        const kind = piece.toLowerCase()
        if (kind === "p") return [-1, 1].some(x => step(from, [x, byWhite ? 1 : -1]) === target)
        return [...reach(squares, from, kind, byWhite)].includes(target)
    })
}

function* pawnMoves({squares, white, passing}, from) {
    const ahead = white ? 1 : -1
    const one = step(from, [0, ahead])
    if (one >= 0 && !squares[one]) {
        yield one
        const two = step(one, [0, ahead])
        if (Math.floor(from / 8) === (white ? 1 : 6) && !squares[two]) yield two
    }
    for (const x of [-1, 1]) {
        const to = step(from, [x, ahead])
        if (to >= 0 && (to === passing || squares[to] && isWhite(squares[to]) !== white)) yield to
    }
}

function* castlings({squares, white, castling}, king) {
    const home = white ? 4 : 60
    if (king !== home || isAttacked(squares, home, !white)) return
    for (const [letter, way, rook] of [["k", 1, home + 3], ["q", -1, home - 4]]) {
        if (!castling.includes(white ? letter.toUpperCase() : letter)) continue
        const between = way > 0 ? [home + 1, home + 2] : [home - 1, home - 2, home - 3]
        const free = between.every(at => !squares[at]) && squares[rook]?.toLowerCase() === "r"
        if (free && !isAttacked(squares, home + way, !white)) yield home + 2 * way
    }
}

/** The squares that the piece on a square (`e2`) may go to. */
export function targets(fen, fromName) {
    const now = position(fen), {squares, white, passing} = now
    const from = square(fromName), piece = squares[from]
    if (!piece || isWhite(piece) !== white) return []
    const kind = piece.toLowerCase()
    const found = kind === "p" ? [...pawnMoves(now, from)] : [...reach(squares, from, kind, white)]
    if (kind === "k") found.push(...castlings(now, from))
    return found.filter(to => {
        const after = [...squares]
        after[to] = piece
        after[from] = null
        if (kind === "p" && to === passing) after[to + (white ? -8 : 8)] = null
        return !isAttacked(after, after.indexOf(white ? "K" : "k"), !white)
    }).map(nameOf)
}

/** Whether a move takes a pawn to its last rank. */
export function isPromotion(fen, from, to) {
    return position(fen).squares[square(from)]?.toLowerCase() === "p" && (to[1] === "8" || to[1] === "1")
}

/** Both sides' pieces with their squares, king first, for screen readers: [["Kg1", ...], ["Ke8", ...]]. */
export function inventory(fen) {
    const {squares} = position(fen)
    return [true, false].map(white => squares
        .map((piece, at) => piece && isWhite(piece) === white ? piece.toUpperCase() + nameOf(at) : null)
        .filter(Boolean)
        .sort((a, b) => "KQRBNP".indexOf(a[0]) - "KQRBNP".indexOf(b[0])))
}
