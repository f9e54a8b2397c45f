// The description of the API, drawn from its OpenAPI document.

import {el, fill} from "./dom.js"
import {loadWords, t} from "./text.js"

const METHODS = ["get", "post", "put", "patch", "delete"]

/** Follows `{"$ref": "#/components/..."}`. */
function resolve(document, value) {
    if (!value?.$ref) return value ?? {}
    return value.$ref.slice(2).split("/").reduce((at, part) => at?.[part], document) ?? {}
}

/** Text in which `code` stands between backticks. */
function prose(text) {
    return text.split("`").map((part, i) => i % 2 ? el("code", {}, part) : part)
}

/** A type in a few words; named ones are links to their description. */
function typeOf(schema) {
    if (!schema) return ""
    if (schema.$ref) {
        const name = schema.$ref.split("/").at(-1)
        return el("a", {href: `#type-${name}`, onclick: () => { document.getElementById(`type-${name}`)?.setAttribute("open", "") }}, name)
    }
    const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf
    if (choices) return choices.map((one, i) => [i ? " | " : "", typeOf(one)])
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.enum) return schema.enum.map(one => JSON.stringify(one)).join(" | ")
    if (schema.type === "array") return ["[", typeOf(schema.items), "]"]
    const kind = [schema.type].flat().filter(Boolean).join(" | ") || "any"
    return schema.format ? `${kind} (${schema.format})` : kind
}

const row = (name, required, type, text) => el("tr", {},
    el("td", {}, el("code", {}, name), required ? el("small", {class: "quiet"}, ` ${t("docs.required")}`) : null),
    el("td", {}, el("code", {}, type)), el("td", {class: "said"}, prose(text ?? "")))

/** The members of an object, or of each choice. */
function members(schema) {
    const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf
    if (choices) return choices.filter(one => !one.$ref).map(members)
    const needed = schema.required ?? []
    const rows = Object.entries(schema.properties ?? {}).map(([name, one]) => row(name, needed.includes(name), typeOf(one), one.description))
    return rows.length ? el("table", {}, el("tbody", {}, rows)) : el("code", {}, typeOf(schema))
}

function content(document, heading, holder) {
    const kinds = Object.entries(holder.content ?? {})
    return kinds.map(([kind, {schema}]) => [el("p", {}, heading, el("code", {}, kind), " ", schema?.$ref ? el("code", {}, typeOf(schema)) : null),
        schema && !schema.$ref ? members(schema) : null])
}

function operation(document, method, path, shared, one) {
    const parameters = [...shared, ...one.parameters ?? []].map(parameter => resolve(document, parameter))
    const body = resolve(document, one.requestBody)
    const answers = Object.entries(one.responses ?? {}).map(([status, answer]) => {
        const {description, content: kinds} = resolve(document, answer)
        return row(status, false, Object.entries(kinds ?? {}).map(([kind, {schema}]) => [kind, schema ? [" · ", typeOf(schema)] : "", " "]), description)
    })
    return el("details", {class: "operation"},
        el("summary", {}, el("span", {class: `method ${method}`}, method.toUpperCase()), el("code", {}, path), el("span", {}, one.summary ?? "")),
        el("div", {}, one.description ? el("p", {class: "said"}, prose(one.description)) : null,
            parameters.length ? [el("h3", {}, t("docs.parameters")), el("table", {}, el("tbody", {}, parameters.map(p =>
                row(p.name, p.required, [p.in, " · ", typeOf(p.schema)], p.description))))] : null,
            body.content ? [el("h3", {}, t("docs.body")), body.description ? el("p", {class: "said"}, prose(body.description)) : null, content(document, "", body)] : null,
            el("h3", {}, t("docs.answers")), el("table", {}, el("tbody", {}, answers))))
}

function page(document) {
    const operations = Object.entries(document.paths).flatMap(([path, item]) => METHODS.filter(method => item[method]).map(method =>
        operation(document, method, path, item.parameters ?? [], item[method])))
    const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => el("details", {class: "schema", id: `type-${name}`},
        el("summary", {}, el("code", {}, name)), el("div", {}, schema.description ? el("p", {class: "said"}, prose(schema.description)) : null, members(schema))))
    return [el("h1", {}, `${document.info.title} ${document.info.version}`), document.info.description ? el("p", {class: "said"}, prose(document.info.description)) : null,
        operations, schemas.length ? el("h2", {}, t("docs.schemas")) : null, schemas]
}

await loadWords()
const main = document.getElementById("docs")
document.title = t("docs.title")
const links = el("nav", {}, el("a", {href: "/"}, t("docs.page")), el("a", {href: "/v1/openapi.json"}, t("docs.raw")))
try {
    const answer = await fetch("/v1/openapi.json")
    fill(main, links, page(await answer.json()))
} catch {
    fill(main, links, el("p", {role: "alert"}, t("docs.empty")))
}
