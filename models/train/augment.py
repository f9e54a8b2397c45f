"""Changes to a cell that a reader must not mind: place, size, slant, pen, light, stray ink.

Works on one grey cell (uint8) at a time: at this size OpenCV's byte operations are far quicker than tensors.
"""
import cv2
import numpy as np

CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
SQUARE = np.ones((3, 3), np.uint8)
NOISE = np.random.default_rng(0).standard_normal(1 << 18).astype(np.float32)
YS, XS = np.mgrid[0:48, 0:192].astype(np.float32)
BYTES = np.arange(256, dtype=np.float32) / 255


def bend(cell, rng, s):
    """Shift, scale, slant, rotation and at times a slow elastic warp, in one resampling."""
    h, w = cell.shape
    r = rng.uniform(-s, s, 6)
    gx, gy, slant, turn = np.exp(.2 * r[0]), np.exp(.16 * r[1]), .35 * r[2], .035 * r[3]
    # from a place in the result to the place in the cell
    m = np.array([[gx, slant, 0], [turn, gy, 0]], np.float32)
    centre = np.array([w / 2, h / 2], np.float32)
    m[:, 2] = centre - m[:, :2] @ centre + (18 * r[4], 4.5 * r[5])
    paper = int(np.median(cell[::5, ::7]))
    if rng.random() < .4:
        dx, dy = (cv2.resize(rng.normal(0, k * s, (3, 9)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC) for k in (2.0, 1.3))
        return cv2.remap(cell, XS * m[0, 0] + YS * m[0, 1] + (m[0, 2] + dx), XS * m[1, 0] + YS * m[1, 1] + (m[1, 2] + dy),
                         cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=paper)
    return cv2.warpAffine(cell, m, (w, h), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_CONSTANT,
                          borderValue=paper)


def augment(cell, other, rng, s=1.0):
    """`other` is any other cell, whose strokes may stray into the margins; s is the strength."""
    h, w = cell.shape
    if rng.random() < .15 * s:                                     # strokes of another row
        cell = cell.copy()
        if rng.random() < .5:
            np.minimum(cell[:8], other[-14:-6], out=cell[:8])
        else:
            np.minimum(cell[-8:], other[8:16], out=cell[-8:])
    cell = bend(cell, rng, s)
    pick = rng.random(8)
    if pick[0] < .35 * s:                                          # a wider or a finer pen
        change = cv2.erode if rng.random() < .5 else cv2.dilate
        a = rng.uniform(.15, .7)
        cell = cv2.addWeighted(change(cell, SQUARE if rng.random() < .5 else CROSS), a, cell, 1 - a, 0)
    if pick[1] < .3 * s:
        cell = cv2.GaussianBlur(cell, (0, 0), rng.uniform(.4, 1.1))
    if pick[2] < .12 * s:                                          # coarser pixels
        k = rng.uniform(.5, .9)
        cell = cv2.resize(cv2.resize(cell, None, fx=k, fy=k, interpolation=cv2.INTER_AREA), (w, h))
    if pick[3] < .15 * s:                                          # a left-over ruling line
        y = rng.uniform(3, 15) if rng.random() < .5 else rng.uniform(33, 45)
        tilt = rng.uniform(-2.5, 2.5)
        line = np.full((h, w), 255, np.uint8)
        cv2.line(line, (0, round(y - tilt)), (w - 1, round(y + tilt)), int(rng.uniform(20, 220)), int(rng.integers(1, 3)), cv2.LINE_AA)
        cell = np.minimum(cell, line)
    if pick[4] < .12 * s:                                          # a small hole in the ink
        x, y = int(rng.integers(w)), int(rng.integers(h))
        cell[max(0, y - 8):y + int(rng.integers(2, 9)), max(0, x - 4):x + int(rng.integers(1, 6))] = 245
    ink = (1 - BYTES) ** np.exp(rng.uniform(-.4, .4) * s) * np.exp(rng.uniform(-.6, .3) * s) + rng.uniform(-.03, .06) * s
    cell = cv2.LUT(cell, (255 - ink.clip(0, 1) * 255).astype(np.uint8))
    if pick[5] < .5:
        start = int(rng.integers(len(NOISE) - h * w))
        noise = NOISE[start:start + h * w].reshape(h, w)
        cell = (cell + noise * (rng.uniform(1, 12) * s)).clip(0, 255).astype(np.uint8)
    return cell
