// A service of its own for the test: the built program on a free port with a temporary folder.

import {spawn, execFileSync} from "node:child_process"
import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"

export const ROOT = new URL("../../", import.meta.url).pathname
export const PROGRAM = process.env.SCORESHEET ?? join(ROOT, "target/release/scoresheet")

/** Starts the program and returns {address, folder, stop}. */
export function serve(...options) {
    const folder = mkdtempSync(join(tmpdir(), "scoresheet-browser-"))
    const child = spawn(PROGRAM, ["serve", "--listen", "127.0.0.1:0", "--data", join(folder, "data"), ...options], {stdio: ["ignore", "ignore", "pipe"]})
    const stop = () => new Promise(done => {
        child.once("exit", () => {
            rmSync(folder, {recursive: true, force: true})
            done()
        })
        child.kill("SIGTERM")
    })
    return new Promise((resolve, reject) => {
        let said = ""
        child.stderr.on("data", bytes => {
            said += bytes
            const found = /open (http:\S+)\/ in a browser/.exec(said)
            if (found) resolve({address: found[1], folder, stop})
        })
        child.once("error", reject)
        child.once("exit", () => reject(new Error(`${PROGRAM} ended at once:\n${said}`)))
        setTimeout(() => reject(new Error(`${PROGRAM} did not start:\n${said}`)), 60000).unref()
    })
}

/** A new API key: [the key, its line for the file of keys]. */
export function newKey(name) {
    const said = execFileSync(PROGRAM, ["serve", "--new-key", name], {encoding: "utf8"})
    return [/^Key.*: (\S+)$/m.exec(said)[1], /^Line.*: (.*)$/m.exec(said)[1]]
}
