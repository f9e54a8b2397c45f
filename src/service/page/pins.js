// What a person says about a game, as the lists of pins that the service keeps. Nothing here changes what it is given.

const sameCell = (pin, cell) => pin.number === cell.number && pin.colour === cell.colour

/** Whether two places are the same cell. */
export function isSame(a, b) {
    return a.number === b.number && a.colour === b.colour && Boolean(a.omitted) === Boolean(b.omitted)
}

function cellOf({number, colour}) {
    return {number, colour}
}

/** Without what was said about the ink of a cell. */
function withoutCell(pins, cell) {
    return pins.filter(pin => !(["move", "not_a_move"].includes(pin.pin) && sameCell(pin, cell)))
}

/** The plies that were left out before the cell of a ply which was left out, as indices. */
function group(review, index) {
    const cell = review.cells[index]
    return review.cells.map((_, i) => i).filter(i => isSame(review.cells[i], cell))
}

/** The moves left out before a cell are always named together. */
function withMissing(pins, cell, sans) {
    const others = pins.filter(pin => !(pin.pin === "missing" && sameCell(pin, cell)))
    return [...others, ...sans.map(san => ({pin: "missing", ...cellOf(cell), san}))]
}

/** The ply at `index` is this move. */
export function setMove(review, pins, index, san) {
    const cell = review.cells[index]
    if (!cell.omitted) return [...withoutCell(pins, cell), {pin: "move", ...cellOf(cell), san}]
    const sans = group(review, index).map(i => i === index ? san : review.game.plies[i].san)
    return withMissing(pins, cell, sans)
}

/** A move was left out before the ply at `index`; `san` is null where it is not known. */
export function addMissing(review, pins, index, san) {
    const cell = review.cells[index]
    const before = review.cells.map((_, i) => i)
        .filter(i => i !== index && isSame(review.cells[i], {...cell, omitted: true}))
    const sans = [...before, ...(cell.omitted ? [index] : [])].sort((a, b) => a - b).map(i => review.game.plies[i].san)
    const at = cell.omitted ? group(review, index).indexOf(index) : sans.length
    return withMissing(pins, cell, [...sans.slice(0, at), san, ...sans.slice(at)])
}

/** What is written at `index` is no move; a move that a person said was left out there was not. */
export function setNotAMove(review, pins, index) {
    const cell = review.cells[index]
    if (!cell.omitted) return [...withoutCell(pins, cell), {pin: "not_a_move", ...cellOf(cell)}]
    const sans = group(review, index).filter(i => i !== index).map(i => review.game.plies[i].san)
    return withMissing(pins, cell, sans)
}

/** Whether anything can be taken back by saying that the ply at `index` is no move. */
export function canBeNoMove(review, pins, index) {
    const cell = review.cells[index]
    return !cell.omitted || pins.some(pin => pin.pin === "missing" && sameCell(pin, cell))
}

/** The last written move at `index` or before it, if there is one: what a game can end with. */
export function lastMove(review, index) {
    for (let i = index; i >= 0; i -= 1) {
        if (review.game.plies[i].san && !review.cells[i].omitted) return i
    }
    return -1
}

/** The game ends with the ply at `index`. */
export function setEnd(review, pins, index) {
    return [...pins.filter(pin => pin.pin !== "end"), {pin: "end", ...cellOf(review.cells[index])}]
}

/** Whether a person said that the game ends with the ply at `index`. */
export function isEnd(review, pins, index) {
    return pins.some(pin => pin.pin === "end" && sameCell(pin, review.cells[index]))
}

export function withoutEnd(pins) {
    return pins.filter(pin => pin.pin !== "end")
}

export function setResult(pins, result) {
    return [...pins.filter(pin => pin.pin !== "result"), {pin: "result", result}]
}

/** A tag of the game; an empty value takes it away. */
export function setHeader(pins, name, value) {
    const others = pins.filter(pin => !(pin.pin === "header" && pin.name === name))
    return value ? [...others, {pin: "header", name, value}] : others
}

/** Whether a person has settled the ply at `index`. */
export function isSettled(review, pins, index) {
    const cell = review.cells[index]
    const kind = cell.omitted ? "missing" : "move"
    return pins.some(pin => pin.pin === kind && sameCell(pin, cell) && pin.san)
}
