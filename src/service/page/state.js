// A game under review: where the user is, what is unclear, and the changes on their way to the service.

import {call} from "./api.js"
import {isSame, isSettled} from "./pins.js"

/** Worst first: what is surest wrong comes before what is only unsure. */
const SEVERITY = ["illegal", "inferred", "repaired", "doubtful", "unread"]

export class Game {
    constructor(id, review) {
        this.id = id
        this.review = review
        this.index = 0
        this.order = "game"
        /** Whether the move that is typed next was left out before the current one. */
        this.missing = false
        /** Lists of pins before the changes that can be undone, and after those that can be redone. */
        this.undone = []
        this.done = []
        /** Places that were confirmed while the answer is not there yet. */
        this.confirmed = []
        this.queue = Promise.resolve()
        this.waiting = 0
    }

    ply() {
        return this.review.game.plies[this.index]
    }

    look() {
        return this.isSettled(this.index) ? "settled" : this.ply().status
    }

    select(index) {
        this.index = Math.max(0, Math.min(this.review.game.plies.length - 1, index))
    }

    /** Whether from here on there is ink only that was not read as moves: most often a line through empty rows. */
    isBehindTheEnd() {
        return this.review.game.plies.slice(this.index).every(ply => ply.status === "unread")
    }

    /** What stays the same of a ply while the game changes: its cell, and which of those left out before it. */
    placeOf(index) {
        const cell = this.review.cells[index]
        const nth = this.review.cells.slice(0, index).filter(other => isSame(other, cell)).length
        return {...cell, nth}
    }

    /** The moves by place. */
    moves() {
        return new Map(this.review.cells.map((_, index) => {
            const {number, colour, omitted, nth} = this.placeOf(index)
            return [`${number} ${colour} ${omitted} ${nth}`, this.review.game.plies[index].san]
        }))
    }

    isAt(place) {
        const here = this.placeOf(this.index)
        return isSame(here, place) && here.nth === place.nth
    }

    /** The ply of a place, or of the nearest one before it. */
    find(place) {
        const {cells} = this.review
        const same = cells.map((_, i) => i).filter(i => isSame(cells[i], place))
        if (same.length) return same[Math.min(place.nth, same.length - 1)]
        const key = cell => 2 * cell.number + (cell.colour === "black" ? 1 : 0)
        return Math.max(0, cells.findLastIndex(cell => key(cell) <= key(place)))
    }

    selectPlace(place) {
        this.index = this.find(place)
    }

    isSettled(index) {
        return isSettled(this.review, this.review.pins, index) ||
            this.confirmed.some(place => this.find(place) === index)
    }

    /** Counts a ply as settled until the answer is there. */
    confirm(index) {
        this.confirmed.push(this.placeOf(index))
    }

    forgetConfirmed() {
        this.confirmed = []
    }

    /** The plies that someone should look at, in the order chosen. */
    unclear() {
        const {plies} = this.review.game
        const found = plies.map((_, i) => i).filter(i => plies[i].status !== "clear" && !this.isSettled(i))
        if (this.order === "worst") {
            const rank = i => SEVERITY.indexOf(plies[i].status) + plies[i].confidence
            found.sort((a, b) => rank(a) - rank(b) || a - b)
        }
        return found
    }

    /** The unclear ply after (1) or before (-1) the current one, around the end; the current one only if `here`. */
    nextUnclear(way, here = false) {
        const unclear = this.unclear()
        if (unclear.length === 0) return null
        if (here) return unclear[0]
        if (this.order === "worst") {
            const at = unclear.indexOf(this.index)
            return unclear.at(at < 0 ? 0 : (at + way) % unclear.length)
        }
        return way > 0 ? unclear.find(i => i > this.index) ?? unclear[0] : unclear.findLast(i => i < this.index) ?? unclear.at(-1)
    }

    /** Sends what `make(review, pins, index)` returns for the ply at `place`, after all changes before it. Returns the
     *  moves by place before and afterwards. */
    change(make, place) {
        return this.#enqueue(async () => {
            const before = this.review.pins, moves = this.moves()
            await this.#put(make(this.review, before, this.find(place)), [place])
            this.done.push(before)
            this.undone = []
            return [moves, this.moves()]
        })
    }

    canUndo() {
        return this.done.length > 0 || this.review.pins.length > 0
    }

    canRedo() {
        return this.undone.length > 0
    }

    /** Takes the last change back; without one in this session, the last pin. Says whether anything changed. */
    undo() {
        return this.#enqueue(async () => {
            if (!this.canUndo()) return false
            const now = this.review.pins
            await this.#put(this.done.at(-1) ?? now.slice(0, -1))
            this.done.pop()
            this.undone.push(now)
            this.#goToChange(now, this.review.pins)
            return true
        })
    }

    redo() {
        return this.#enqueue(async () => {
            if (!this.canRedo()) return false
            const now = this.review.pins
            await this.#put(this.undone.at(-1))
            this.undone.pop()
            this.done.push(now)
            this.#goToChange(now, this.review.pins)
            return true
        })
    }

    isBusy() {
        return this.waiting > 0
    }

    /** When all changes have been answered. */
    settled() {
        return this.queue
    }

    #enqueue(work) {
        this.waiting += 1
        const result = this.queue.then(work).finally(() => { this.waiting -= 1 })
        this.queue = result.catch(() => {})
        return result
    }

    /** `over` holds the places whose confirmation the answer contains. */
    async #put(pins, over = []) {
        const review = await call("PUT", `/v1/jobs/${this.id}/pins`, {pins})
        const here = this.placeOf(this.index)
        this.review = review
        this.confirmed = this.confirmed.filter(place => !over.some(one => isSame(one, place) && one.nth === place.nth))
        this.selectPlace(here)
    }

    /** Selects the ply of which one list of pins says what the other does not. */
    #goToChange(before, after) {
        const says = list => list.map(pin => JSON.stringify(pin))
        const [a, b] = [says(before), says(after)]
        const pin = after.findLast((_, i) => !a.includes(b[i])) ?? before.findLast((_, i) => !b.includes(a[i]))
        if (pin?.number !== undefined) this.selectPlace({number: pin.number, colour: pin.colour, omitted: pin.pin === "missing", nth: 0})
    }
}
