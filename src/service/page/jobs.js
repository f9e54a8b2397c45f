// The first view: photos handed in, and the list of games.

import {alarm, notice} from "./alarm.js"
import {call, follow, isOver, title} from "./api.js"
import {ask, el, fill, say} from "./dom.js"
import {progressOf} from "./progress.js"
import {fromServer, t, when} from "./text.js"
import {makeUpload} from "./upload.js"

const STATES = ["done", "reading", "queued", "failed", "cancelled"]
const SIGNS = {done: "✓", reading: "…", queued: "…", failed: "✕", cancelled: "–"}
/** Jobs listened to at a time: browsers keep few connections open to one server. The others are asked for. */
const FOLLOWED = 2
const ASK_AGAIN = 2000
/** Jobs asked for at a time: usually, and at most. */
const PAGE = 100
const MOST = 200

/** Shows uploads and the list in `view`; returns what is to be called when it is left. */
export function showJobs(view, tools) {
    document.title = "Scoresheet"
    /** Shown jobs in order, and their rows by id. */
    let jobs = [], next = null, gone = false, typing = null
    const rows = new Map(), followed = new Map()
    const search = el("input", {type: "search", placeholder: t("search"), "aria-label": t("search"), oninput: () => {
        clearTimeout(typing)
        typing = setTimeout(load, 250)
    }})
    const state = el("select", {"aria-label": t("state"), onchange: () => load()}, el("option", {value: ""}, t("state.all")),
        STATES.map(name => el("option", {value: name}, t(`state.${name}`))))
    const list = el("ul", {class: "games"})
    const more = el("button", {onclick: () => load(next)}, t("more"))
    const empty = el("p", {class: "quiet empty"})
    const review = el("a", {class: "button main"})
    const exported = el("a", {class: "button", href: "/v1/export.pgn", download: "games.pgn"}, t("export"))
    fill(tools, el("a", {href: "/docs", class: "quiet-link"}, t("api")))
    fill(view, makeUpload(job => {
        if (rows.has(job.id)) notice(t("upload.known", {name: title(job)}))
        else jobs.unshift(job)
        place(job)
        watch()
    }), el("section", {class: "archive", "aria-label": t("games")}, el("div", {class: "archive-tools"}, el("h2", {}, t("games")), search, state, review, exported),
    list, empty, el("div", {class: "row"}, more)))

    async function load(after = null, limit = PAGE) {
        const query = new URLSearchParams({q: search.value, limit})
        if (state.value) query.set("state", state.value)
        if (after) query.set("after", after)
        try {
            const page = await call("GET", `/v1/jobs?${query}`)
            if (gone) return
            jobs = after ? [...jobs, ...page.jobs] : page.jobs
            next = page.next
            draw()
        } catch (error) {
            alarm(error)
        }
    }

    function draw() {
        for (const [id, row] of rows) {
            if (!jobs.some(job => job.id === id)) {
                row.element.remove()
                rows.delete(id)
            }
        }
        jobs.forEach(place)
        more.hidden = next === null
        watch()
    }

    /** Puts the row of a job where it belongs; a row that says the same is left alone. */
    function place(job) {
        const at = jobs.findIndex(one => one.id === job.id)
        if (at < 0) return
        jobs[at] = job
        const said = JSON.stringify(job)
        let row = rows.get(job.id)
        if (row?.said !== said) {
            const element = rowOf(job)
            const focus = row?.element.contains(document.activeElement)
            row?.element.replaceWith(element)
            if (focus) element.querySelector("a, button")?.focus()
            row = {element, said}
            rows.set(job.id, row)
        }
        if (list.children[at] !== row.element) list.insertBefore(row.element, list.children[at] ?? null)
        summarise()
    }

    function summarise() {
        const unclear = jobs.find(job => job.state === "done" && job.summary?.to_review > 0)
        const count = jobs.filter(job => job.state === "done" && job.summary?.to_review > 0).length
        review.hidden = !unclear
        if (unclear) {
            review.href = `#/jobs/${unclear.id}`
            review.textContent = t("review.next", {n: count})
        }
        exported.hidden = !jobs.some(job => job.state === "done")
        const filtered = search.value || state.value
        empty.hidden = jobs.length > 0
        empty.textContent = filtered ? t("games.none.found") : t("games.none")
    }

    function rowOf(job) {
        const {summary} = job
        const pages = t("photos", {n: job.photos.length})
        return el("li", {class: job.state, "data-job": job.id},
            el("span", {class: "state", title: t(`state.${job.state}`)}, el("span", {"aria-hidden": "true"}, SIGNS[job.state]), el("span", {class: "unseen"}, t(`state.${job.state}`))),
            el("div", {class: "what"}, el("a", {class: "title", href: `#/jobs/${job.id}`}, title(job)),
                el("span", {class: "quiet"}, [summary?.white || summary?.black ? job.photos[0].name : null, pages,
                    summary ? t("plies", {n: Math.ceil(summary.plies / 2)}) : null, when(job.created)].filter(Boolean).join(" · ")),
                job.problem ? el("span", {class: "problem"}, fromServer(job.problem.detail), " ", fromServer(job.problem.next_step)) : null,
                isOver(job) ? null : progressOf(job)),
            summary ? el("span", {class: "result"}, summary.result === "*" ? "" : summary.result) : null,
            summary ? el("span", {class: summary.to_review ? "count" : "count none"}, summary.to_review ? t("to.check", {n: summary.to_review}) : t("checked")) : null,
            isOver(job) ? el("button", {class: "plain", "aria-label": `${t("delete")}: ${title(job)}`, title: t("delete"), onclick: () => remove(job)}, "✕")
                : el("button", {class: "plain", onclick: () => cancel(job)}, t("cancel")))
    }

    async function remove(job) {
        const sure = await ask(t("delete"), dialog => [el("h2", {}, t("delete.title")), el("p", {}, t("delete.sure", {name: title(job)})),
            el("p", {class: "actions"}, el("button", {onclick: () => dialog.close()}, t("cancel")),
                el("button", {class: "danger", onclick: () => dialog.close("yes")}, t("delete")))])
        if (!sure) return
        try {
            await call("DELETE", `/v1/jobs/${job.id}`)
            jobs = jobs.filter(other => other.id !== job.id)
            draw()
            summarise()
            say(t("deleted"))
        } catch (error) {
            alarm(error)
        }
    }

    async function cancel(job) {
        try {
            place(await call("POST", `/v1/jobs/${job.id}/cancel`))
        } catch (error) {
            alarm(error)
        }
    }

    /** Listens to the jobs that come next: the oldest ones that are not over. */
    function watch() {
        const open = jobs.filter(job => !isOver(job)).reverse().slice(0, FOLLOWED)
        for (const [id, stop] of followed) {
            if (!open.some(job => job.id === id)) {
                stop()
                followed.delete(id)
            }
        }
        for (const job of open.filter(job => !followed.has(job.id))) {
            followed.set(job.id, follow(job.id, changed => {
                if (gone) return
                place(changed)
                if (!isOver(changed)) return
                followed.delete(changed.id)
                say(t(changed.state === "done" ? "job.read" : "job.not.read", {name: title(changed)}))
                watch()
            }))
        }
    }

    /** Asks for the open jobs that are not listened to; missed events do no harm then. */
    const timer = setInterval(async () => {
        const open = jobs.filter(job => !isOver(job))
        // Longer lists are left as they are: their open jobs are listened to one after the other.
        if (open.length > followed.size && jobs.length <= MOST) await load(null, Math.max(PAGE, jobs.length))
    }, ASK_AGAIN)

    load().then(summarise)
    return () => {
        gone = true
        clearInterval(timer)
        for (const stop of followed.values()) stop()
        fill(tools)
    }
}
