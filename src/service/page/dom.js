// Making and changing elements. Text is always set as text, never as markup.

/**
 * An element: `el("button", {class: "main", onclick: f, "aria-label": "Go"}, "Go", otherElement)`.
 * Attributes that are null, undefined or false are left out; children that are null or false too.
 */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
        else if (name === "value") element.value = value
        else element.setAttribute(name, value === true ? "" : value)
    }
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
    return element
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.append(...children)
    return element
}

/** Puts children in place of those that an element has. */
export function fill(element, ...children) {
    element.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
}

/** Says something to screen readers. */
export function say(text) {
    document.getElementById("live").textContent = text
}

/** A small picture of a key, for hints; hidden from screen readers, which hear `aria-keyshortcuts`. */
export function key(name) {
    return el("kbd", {"aria-hidden": "true"}, name)
}

/** Hands a text to the user as a file. */
export function save(name, text, type) {
    const address = URL.createObjectURL(new Blob([text], {type}))
    const link = el("a", {href: address, download: name})
    link.click()
    setTimeout(() => URL.revokeObjectURL(address), 10000)
}

/**
 * A modal dialog that is removed when it closes; resolves with its return value ("" if it was cancelled).
 * `build(dialog)` returns the content and may call `dialog.close(value)`.
 */
export function ask(label, build) {
    return new Promise(resolve => {
        const dialog = el("dialog", {"aria-label": label})
        dialog.append(...[build(dialog)].flat())
        dialog.addEventListener("close", () => {
            dialog.remove()
            resolve(dialog.returnValue)
        })
        dialog.addEventListener("click", event => {
            if (event.target === dialog) dialog.close("")
        })
        document.body.append(dialog)
        dialog.showModal()
    })
}
