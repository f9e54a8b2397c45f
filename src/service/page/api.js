// Talking to the service.

import {ask, el} from "./dom.js"
import {fromServer, t} from "./text.js"

/** What went wrong, from an RFC 9457 problem document. */
export class Problem extends Error {
    constructor(status, body) {
        super(body.detail ?? `${status}`)
        this.status = status
        this.detail = body.detail ?? t("problem.unknown", {status})
        this.next = body.next_step ?? ""
    }
}

/** Both sentences of a problem, or of any error, in the user's language. */
export function inWords(error) {
    if (error instanceof Problem) return [fromServer(error.detail), fromServer(error.next)]
    return [t("problem.network"), t("problem.network.next")]
}

let asking = null

/** Asks for the API key until the service takes it. */
async function signIn() {
    let hint = t("key.why")
    for (;;) {
        const entered = await ask(t("key.title"), dialog => {
            const field = el("input", {type: "password", autocomplete: "current-password", required: true, "aria-label": t("key.field")})
            const send = event => {
                event.preventDefault()
                dialog.close(field.value.trim())
            }
            return el("form", {onsubmit: send}, el("h2", {}, t("key.title")), el("p", {}, hint), field,
                el("p", {class: "actions"}, el("button", {class: "main"}, t("key.send"))))
        })
        if (!entered) return false
        const answer = await fetch("/v1/session", {
            method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({key: entered}),
        })
        if (answer.ok) return true
        hint = t("key.wrong")
    }
}

/**
 * Sends a request and returns the answer's JSON, or null where it has no body. Asks for the key where one is needed.
 * Throws Problem for what the service refuses, and what `fetch` throws where it is not reached.
 */
export async function call(method, path, body) {
    const isForm = body instanceof FormData
    const answer = await fetch(path, {
        method,
        headers: body && !isForm ? {"content-type": "application/json"} : {},
        body: isForm ? body : body && JSON.stringify(body),
    })
    if (answer.status === 401) {
        asking ??= signIn().finally(() => { asking = null })
        if (await asking) return call(method, path, body)
    }
    if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => ({})))
    return answer.status === 204 ? null : answer.json()
}

/** Where the picture of a page is. */
export const pageAddress = (id, sheet, page) => `/v1/jobs/${id}/pages/${sheet}/${page}`

/** The picture of a page: {blob, width, height}, in pixels of the whole photo, which may be larger than the picture. */
export async function fetchPage(id, sheet, page) {
    const answer = await fetch(pageAddress(id, sheet, page))
    if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => ({})))
    const [width, height] = ["width", "height"].map(side => Number(answer.headers.get(`x-photo-${side}`)))
    return {blob: await answer.blob(), width, height}
}

/** Listens to a job until it is over or `stop` (the function returned) is called. */
export function follow(id, changed) {
    const source = new EventSource(`/v1/jobs/${id}/events`)
    source.addEventListener("job", event => {
        const job = JSON.parse(event.data)
        if (isOver(job)) source.close()
        changed(job)
    })
    return () => source.close()
}

export function isOver(job) {
    return job.state !== "queued" && job.state !== "reading"
}

/** What a job is called in lists: its players, or else its photos. */
export function title(job) {
    const {white, black} = job.summary ?? {}
    if (white || black) return `${white ?? "?"} – ${black ?? "?"}`
    return job.photos.map(photo => photo.name).join(", ")
}
