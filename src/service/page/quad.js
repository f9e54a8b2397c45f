// Four-sided areas of a photo: corners clockwise from the upper left, each [x, y].

/** The corners as SVG wants them. */
export function points(quad) {
    return quad.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")
}

/** Left, top, right and bottom of a quad. */
export function bounds(quad) {
    const xs = quad.map(([x]) => x), ys = quad.map(([, y]) => y)
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** Whether the corners run clockwise round an area without a dent (y grows downwards). */
export function isClockwise(quad) {
    return quad.every(([ax, ay], i) => {
        const [bx, by] = quad[(i + 1) % 4], [cx, cy] = quad[(i + 2) % 4]
        return (bx - ax) * (cy - by) - (by - ay) * (cx - bx) > 0
    })
}

/**
 * Where the point (u, v) of the unit square lies in the quad, seen in perspective: the projective map that takes the
 * corners of the square to those of the quad.
 */
export function within([[ax, ay], [bx, by], [cx, cy], [dx, dy]], u, v) {
    const [sx, sy] = [ax - bx + cx - dx, ay - by + cy - dy]
    const det = (bx - cx) * (dy - cy) - (dx - cx) * (by - cy)
    const g = (sx * (dy - cy) - (dx - cx) * sy) / det
    const h = ((bx - cx) * sy - sx * (by - cy)) / det
    const w = g * u + h * v + 1
    const along = (a, b, d) => (a + (b - a + g * b) * u + (d - a + h * d) * v) / w
    return [along(ax, bx, dx), along(ay, by, dy)]
}
