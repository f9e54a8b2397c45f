// Both languages have the same words, and the page uses none that they lack.

import assert from "node:assert/strict"
import {readFileSync, readdirSync} from "node:fs"

const folder = new URL("../../src/service/page/", import.meta.url)
const read = name => JSON.parse(readFileSync(new URL(name, folder), "utf8"))

const names = text => [...text.matchAll(/\{(\w+)\}/g)].map(found => found[1]).sort()

/** All values by their path. */
function flat(words, prefix = "") {
    return Object.entries(words).flatMap(([key, value]) =>
        typeof value === "string" ? [[prefix + key, value]] : flat(value, `${prefix}${key} > `))
}

export function checkWords() {
    const [en, de] = ["en.json", "de.json"].map(name => new Map(flat(read(name))))
    assert.deepEqual([...de.keys()].sort(), [...en.keys()].sort(), "en.json and de.json have the same keys")
    for (const [key, value] of en) {
        const other = de.get(key)
        assert.ok(value && other, `${key} has words`)
        const allowed = new Set([...names(key), ...names(value)])
        for (const name of names(other)) assert.ok(allowed.has(name), `{${name}} of ${key} in de.json is known`)
        if (!key.startsWith("server > ") && !key.endsWith(".one")) assert.deepEqual(names(other), names(value), `${key} holds the same values`)
    }
    const known = new Set([...en.keys()].flatMap(key => [key, key.replace(/\.(one|other)$/, "")]))
    const scripts = readdirSync(folder).filter(name => name.endsWith(".js"))
    let used = 0
    for (const script of scripts) {
        const text = readFileSync(new URL(script, folder), "utf8")
        for (const [, key] of text.matchAll(/\bt\("([^"]+)"/g)) {
            assert.ok(known.has(key), `${script}: "${key}" is in en.json`)
            used += 1
        }
    }
    assert.ok(used > 80, `words were looked for in vain: ${used}`)
}
