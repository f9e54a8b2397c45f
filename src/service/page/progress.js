// How far the reading of a job is.

import {el} from "./dom.js"
import {t} from "./text.js"

/** A bar with the stage in words. */
export function progressOf(job) {
    const stage = job.state === "queued" ? t("state.queued") : job.stage ? t(`stage.${job.stage}`) : t("state.reading")
    return el("div", {class: "progress"}, el("progress", {max: 1, value: String(job.progress), "aria-label": stage}), el("span", {class: "quiet"}, stage))
}
