"""Photographs a page in software, and says where every point of the page went.

A page is bent by a smooth warp (curl), thrown on to the picture by a homography (a camera above a table), lit, and spoiled by the
lens, the sensor and JPEG.  `Geometry.to_photo` maps points of the page to pixels of the picture.
"""
from dataclasses import dataclass

import cv2
import numpy as np


@dataclass
class Shot:
    """How a photo is taken.  `tilt` is the angle in degrees between the camera's axis and the page's normal (0 to 45)."""
    height: int = 2000              # of the picture before it is turned
    scan: bool = False              # a flat scanner: no table around the page
    tilt: float = 6.0
    roll: float = 1.0               # degrees
    curl: float = .004              # of the page's height
    margin: float = .05             # table around the page; negative cuts the page off
    turn: int = 0                   # quarter turns, anticlockwise
    table: str = "wood"             # "wood", "cloth", "dark", "pale", "chessboard" or "sheets": others lie around and below
    gradient: float = .15           # loss of light from one side to the other
    shadow: float = 0.0             # darkness of a shadow across the page
    vignette: float = .12
    warmth: float = .03
    blur: float = .7                # pixels
    noise: float = .008
    crease: float = 0.0             # a fold across the middle
    tint: tuple = (1, 1, 1)         # of the paper, for white paper
    over: str = ""                  # what lies on the page: a "pen" or "fingers"
    glare: float = 0.0              # light thrown back by glossy paper
    motion: float = 0.0             # length in pixels by which the hand shook
    finish: str = ""                # what was made of the photo: "app" (paper made white), "bilevel", "copy" (a copier's)
    bytes: int = 420_000            # JPEG no larger than this


def random_shot(rng, strength=10.0, roll=None):
    """Any photo with at most `strength` degrees of tilt, held straight by eye or turned by up to `roll` degrees."""
    u = rng.uniform
    if rng.random() < .2:
        return Shot(height=int(u(1500, 2400)), scan=True, tilt=0, roll=rng.normal(0, .7), curl=0, gradient=u(0, .05), vignette=0,
                    warmth=0, blur=u(.3, .9), noise=u(.003, .01))
    turned = rng.normal(0, 2.5)
    if roll is not None:
        turned = u(-roll, roll)
    return Shot(height=int(u(1500, 2400)), tilt=u(0, strength), roll=turned, curl=u(0, .012), margin=u(-.01, .1),
                turn=int(rng.choice([0, 1, 2, 3], p=[.85, .06, .03, .06])), table=str(rng.choice(["wood", "cloth", "dark", "pale"])),
                gradient=u(0, .4), shadow=u(.1, .55) if rng.random() < .4 else 0.0, vignette=u(0, .3), warmth=rng.normal(.02, .05),
                blur=u(.4, 1.5), noise=u(.006, .022), crease=u(.2, 1) if rng.random() < .25 else 0.0)


class Geometry:
    """Page -> picture: first the curl, then the homography."""

    def __init__(self, size, homography, bends):
        self.size, self.homography, self.bends = size, homography, bends        # size of the page: w, h

    def displacement(self, x, y):
        """How far the flat page lies from where the bent page's point (x, y) appears."""
        w, h = self.size
        dx = np.zeros_like(x)
        dy = np.zeros_like(y)
        for ax, ay, fx, fy, phase in self.bends:
            wave = np.sin(np.pi * (fx * x / w + fy * y / h) + phase)
            dx, dy = dx + ax * h * wave, dy + ay * h * wave
        return dx, dy

    def to_photo(self, points):
        """Pixels of the picture for points of the page, shape (..., 2)."""
        flat = np.asarray(points, np.float64).reshape(-1, 2)
        bent = flat.copy()
        for _ in range(12):                                        # the warp is small: a fixed point
            dx, dy = self.displacement(bent[:, 0], bent[:, 1])
            bent = flat - np.stack([dx, dy], 1)
        out = np.c_[bent, np.ones(len(bent))] @ self.homography.T
        return (out[:, :2] / out[:, 2:]).reshape(np.shape(points))

    def maps(self, w, h):
        """For every pixel of the picture the point of the page, and whether it is on the page at all."""
        v, u = np.mgrid[0:h, 0:w].astype(np.float64)
        back = np.linalg.inv(self.homography)
        d = back[2, 0] * u + back[2, 1] * v + back[2, 2]
        x, y = (back[0, 0] * u + back[0, 1] * v + back[0, 2]) / d, (back[1, 0] * u + back[1, 1] * v + back[1, 2]) / d
        dx, dy = self.displacement(x, y)
        return (x + dx).astype(np.float32), (y + dy).astype(np.float32)


def camera(shot, w, h, rng):
    """Homography of a page (w x h) and the size of the picture."""
    angle, toward = np.radians(shot.tilt), rng.uniform(0, 2 * np.pi)
    if rng.random() < .6:                                          # most people stand below the sheet
        toward = np.pi / 2 + rng.normal(0, .25)
    roll = np.radians(shot.roll)
    axis = np.array([-np.sin(toward), np.cos(toward), 0])
    tilt = cv2.Rodrigues(axis * angle)[0]
    spin = cv2.Rodrigues(np.array([0, 0, roll]))[0]
    r, distance = tilt @ spin, 1.7
    flat = np.array([[1 / h, 0, -w / h / 2], [0, 1 / h, -.5], [0, 0, 1]])
    project = np.stack([r[:, 0], r[:, 1], np.array([0, 0, distance])], 1)
    m = project @ flat
    corners = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]]) @ m.T
    corners = corners[:, :2] / corners[:, 2:]
    low, high = corners.min(0), corners.max(0)
    if shot.scan:
        inner = np.array([(high - low)[0] / (high - low)[1] * shot.height, shot.height])
        out = np.round(inner * .985).astype(int)                   # a scanner trims the edges
    else:
        out = np.array([int(shot.height * .75), shot.height])
        wide, tall = high - low
        if wide / tall > .75 * 1.05:                               # a broad sheet: the camera steps back
            out[0] = min(shot.height, int(shot.height * wide / tall))
        inner = out * (1 - 2 * shot.margin)
    scale = (inner / (high - low)).max() if shot.scan else (inner / (high - low)).min()
    spare = (out - scale * (high - low)) / 2
    offset = spare + (rng.uniform(-.5, .5, 2) * np.maximum(spare, 0) if not shot.scan else 0) - scale * low
    m = np.array([[scale, 0, offset[0]], [0, scale, offset[1]], [0, 0, 1]]) @ m
    for _ in range(shot.turn):                                     # a quarter turn anticlockwise: (x, y) -> (y, w - 1 - x)
        m = np.array([[0, 1, 0], [-1, 0, out[0] - 1], [0, 0, 1]]) @ m
        out = out[::-1]
    return m, int(out[0]), int(out[1])


def bends(shot, rng):
    """A few slow waves: the page is not flat."""
    if not shot.curl:
        return []
    a = shot.curl
    return [(rng.normal(0, .3) * a, a * rng.choice([-1, 1]), rng.uniform(.7, 1.4), rng.normal(0, .25), rng.uniform(0, 6)),
            (a * rng.normal(0, .5), a * rng.normal(0, .3), rng.normal(0, .3), rng.uniform(.6, 1.8), rng.uniform(0, 6)),
            (a * rng.normal(0, .15), a * rng.normal(0, .2), rng.uniform(1.5, 3), rng.uniform(1, 2.5), rng.uniform(0, 6))]


def soft(rng, w, h, cell):
    """Slow noise of mean 0 and spread about 1."""
    small = rng.standard_normal((max(2, int(h / cell) + 1), max(2, int(w / cell) + 1))).astype(np.float32)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)


def background(kind, w, h, rng):
    """A table top, RGB 0..1."""
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    if kind == "wood":
        bow = soft(rng, w, h, h / 3) * 25 + soft(rng, w, h, h / 8) * 6
        rings = np.sin((y + bow + x * .02) * .045) * .5 + np.sin((y + bow * 1.4) * .12 + 1) * .3
        fibre = cv2.resize(rng.standard_normal((h, max(2, w // 60))).astype(np.float32), (w, h))
        base = np.float32(rng.choice([(.55, .38, .24), (.66, .5, .34), (.4, .26, .17)]))
        return base * (1 + .09 * rings + .045 * fibre)[..., None]
    if kind == "chessboard":
        return chessboard(x, y, w, h, rng)
    if kind == "cloth":
        weave = .5 * np.sin(x * 1.3) * np.sin(y * 1.3) + .5 * rng.standard_normal((h, w)).astype(np.float32)
        base = np.float32(rng.choice([(.1, .32, .2), (.14, .2, .38), (.35, .1, .12)]))
        return base * (1 + .1 * weave + .06 * soft(rng, w, h, h / 5))[..., None]
    base = np.float32((.16, .16, .17) if kind == "dark" else (.72, .7, .66))
    return base * (1 + .03 * soft(rng, w, h, h / 4) + .02 * rng.standard_normal((h, w)).astype(np.float32))[..., None]


def chessboard(x, y, w, h, rng):
    """A board, seen a little askew, with men standing about."""
    a, square = rng.uniform(-.6, .6), h * rng.uniform(.07, .12)
    u, v = (x * np.cos(a) - y * np.sin(a)) / square, (x * np.sin(a) + y * np.cos(a)) / square
    odd = ((np.floor(u) + np.floor(v)) % 2)[..., None]
    dark, pale = np.float32(((.36, .22, .13), (.82, .68, .46)) if rng.random() < .5 else ((.2, .4, .26), (.9, .89, .8)))
    out = dark * odd + pale * (1 - odd) + .02 * soft(rng, w, h, h / 40)[..., None]
    for _ in range(14):
        at, r = (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(square * rng.uniform(.25, .38))
        tone = float(rng.choice([.1, .85]))
        cv2.circle(out, (at[0] + r // 3, at[1] + r // 3), r, (.12, .1, .08), -1, cv2.LINE_AA)
        cv2.circle(out, at, r, (tone, tone * .92, tone * .8), -1, cv2.LINE_AA)
        cv2.circle(out, at, r // 2, (tone * .8, tone * .75, tone * .65), -1, cv2.LINE_AA)
    return out


def sheets(page, homography, w, h, rng):
    """A pale table on which more sheets lie, like the page itself, shifted and turned."""
    out = background("pale", w, h, rng)
    ph, pw = page.shape[:2]
    for _ in range(int(rng.integers(1, 4))):
        a, (dx, dy) = rng.uniform(-.2, .2), rng.uniform(-.15, .15, 2) * (pw, ph)
        about = np.array([[1, 0, pw / 2 + dx], [0, 1, ph / 2 + dy], [0, 0, 1]])
        spin = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        m = homography @ about @ spin @ np.array([[1, 0, -pw / 2], [0, 1, -ph / 2], [0, 0, 1]])
        other = cv2.warpPerspective(page, m, (w, h))
        mask = cv2.warpPerspective(np.ones((ph, pw), np.float32), m, (w, h))[..., None]
        drop = cv2.GaussianBlur(np.roll(mask[..., 0], (5, 6), (0, 1)), (0, 0), 7)[..., None]
        out = (out * (1 - .35 * drop)) * (1 - mask) + other * mask
    return out


def objects(seen, kind, to_photo, rng):
    """The picture with a pen across the page's margin, or with fingers that hold the page; `to_photo` maps points of a page of 1 x 1."""
    h, w = seen.shape[:2]
    scale = np.linalg.norm(np.diff(to_photo([[0, 0], [0, 1]]), axis=0))
    mask, tone = np.zeros((h, w), np.float32), np.zeros_like(seen)
    if kind == "pen":
        x, a = rng.choice([rng.uniform(-.02, .05), rng.uniform(.95, 1.02)]), rng.normal(0, .12)
        y = rng.uniform(.2, .6)
        ends = to_photo([[x, y], [x + a, y + .45]])
        colour = np.float32(rng.choice([(.08, .09, .3), (.1, .1, .1), (.6, .1, .1), (.85, .85, .8)]))
        cv2.line(mask, *[tuple(int(v) for v in p) for p in ends], 1.0, max(3, int(scale * .028)), cv2.LINE_AA)
        tone[:] = colour
        shine = np.zeros_like(mask)
        cv2.line(shine, *[tuple(int(v) for v in p - scale * .006) for p in ends], .5, max(1, int(scale * .006)), cv2.LINE_AA)
        tone = tone + cv2.GaussianBlur(shine, (0, 0), 2)[..., None]
    else:
        side = float(rng.choice([0, 1]))
        skin = np.float32(rng.choice([(.85, .63, .5), (.7, .48, .36), (.42, .27, .19)]))
        for i in range(int(rng.integers(1, 4))):
            y = rng.uniform(.35, .8) if i == 0 else y + .07
            tip, root = to_photo([[side + (.5 - side) * rng.uniform(.03, .16), y], [side - (.5 - side) * .6, y + rng.uniform(0, .1)]])
            cv2.line(mask, tuple(int(v) for v in tip), tuple(int(v) for v in root), 1.0, int(scale * .055), cv2.LINE_AA)
        tone[:] = skin * (1 + .06 * soft(rng, w, h, h / 30))[..., None]
    mask = cv2.GaussianBlur(mask, (0, 0), 1.5)[..., None]
    drop = cv2.GaussianBlur(np.roll(mask[..., 0], (8, 8), (0, 1)), (0, 0), 8)[..., None]
    return seen * (1 - .4 * drop) * (1 - mask) + tone * mask


def finished(picture, kind, rng):
    """What an app or a copier makes of a photo, RGB 8 bits."""
    grey = np.float32(picture)
    if kind != "app":
        grey = grey.mean(2, keepdims=True)
    sheet = cv2.GaussianBlur(cv2.dilate(picture, np.ones((15, 15))), (0, 0), 21)
    even = np.clip(grey / np.maximum(np.float32(sheet if kind == "app" else sheet.mean(2, keepdims=True)), 1), 0, 1)
    if kind == "app":
        out = np.clip((even - .35) / .5, 0, 1)
    elif kind == "bilevel":
        out = np.float32(even > rng.uniform(.78, .86))
    else:                                                          # a copy: hard, streaks along the feed, holes of a punch
        h, w = even.shape[:2]
        out = 1 / (1 + np.exp(-(even - .72) / .06))
        for x in rng.uniform(0, 1, int(rng.integers(1, 5))) * w:
            cv2.line(out, (int(x), 0), (int(x + rng.normal(0, 4)), h), float(rng.uniform(.3, .8)), int(rng.integers(1, 3)))
        for y in (.42, .58):
            cv2.circle(out, (int(w * .045), int(h * y)), int(h * .011), 0, -1)
        speck = rng.random((h, w, 1)) < .0004
        out = np.where(cv2.dilate(np.float32(speck), np.ones((2, 2)))[..., None] > 0, .1, out.reshape(h, w, 1))
    return np.repeat((np.clip(out, 0, 1) * 255).astype(np.uint8).reshape(*picture.shape[:2], -1), 1 if kind == "app" else 3, 2)


def paper(page, shot, rng):
    """The page's own unevenness: fibres, stains, the other side shining through, a fold."""
    h, w = page.shape[:2]
    tone = 1 + .008 * soft(rng, w, h, 400) + .006 * soft(rng, w, h, 6)
    if not shot.scan and rng.random() < .5:                        # the other side's print
        behind = cv2.GaussianBlur(page[:, ::-1].mean(2), (0, 0), 5)
        tone = tone - .05 * np.clip(.9 - behind, 0, 1)
    if shot.crease:
        y = np.arange(h, dtype=np.float32)[:, None]
        at = h * rng.uniform(.45, .55) + soft(rng, w, 2, w / 3)[:1] * 3
        edge = (y - at) / 7
        tone = tone - shot.crease * (.16 * np.exp(-edge ** 2) * np.sign(edge + .2) + .04 * np.exp(-np.abs(edge) / 12))
    return np.clip(page * tone[..., None], 0, 1)


def light(shot, w, h, rng):
    """How much light falls on each pixel."""
    x, y = np.meshgrid(np.linspace(-.5, .5, w, dtype=np.float32), np.linspace(-.5, .5, h, dtype=np.float32))
    a = rng.uniform(0, 2 * np.pi)
    out = 1 - shot.gradient * (.5 + x * np.cos(a) + y * np.sin(a))
    out = out - shot.vignette * 2 * (x ** 2 + y ** 2)
    if shot.shadow:                                                # a hand, a head or the phone itself
        mask = np.zeros((h // 4, w // 4), np.float32)
        b = rng.uniform(0, 2 * np.pi)
        middle = np.array([w / 8, h / 8]) + np.array([np.cos(b) * w, np.sin(b) * h]) * rng.uniform(.0, .06)
        far = np.array([np.cos(b), np.sin(b)]) * h
        along = np.array([-np.sin(b), np.cos(b)]) * h
        t = np.linspace(-1, 1, 9)
        edge = middle + along * t[:, None] + far * rng.normal(0, .015, (9, 1))
        cv2.fillPoly(mask, [np.round(np.vstack([edge, edge[::-1] + far])).astype(np.int32)], 1.0)
        mask = cv2.GaussianBlur(mask, (0, 0), h / 4 * rng.uniform(.012, .04))
        out = out * (1 - shot.shadow * cv2.resize(mask, (w, h)))
    return np.clip(out, .08, 1.2)


def photograph(page, shot, rng):
    """Takes the photo of a page (RGB 0..1): picture (RGB, 8 bits), JPEG bytes and the geometry."""
    ph, pw = page.shape[:2]
    page = paper(page, shot, rng) * np.float32(shot.tint)
    homography, w, h = camera(shot, pw, ph, rng)
    geometry = Geometry((pw, ph), homography, bends(shot, rng))
    mx, my = geometry.maps(w, h)
    scale = np.sqrt(abs(np.linalg.det(homography[:2, :2] / homography[2, 2])))
    if scale < .9:                                                 # the picture is coarser than the page
        page = cv2.GaussianBlur(page, (0, 0), .4 / scale)
    seen = cv2.remap(page, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if not shot.scan:
        inside = np.minimum(np.minimum(mx, pw - 1 - mx), np.minimum(my, ph - 1 - my))
        mask = np.clip(inside + .5, 0, 1)
        drop = cv2.GaussianBlur(np.roll(mask, (6, 8), (0, 1)), (0, 0), 9)
        table = sheets(page, homography, w, h, rng) if shot.table == "sheets" else background(shot.table, w, h, rng)
        table = table * (1 - .45 * drop)[..., None]
        slope = geometry.displacement(mx, my)[1]
        seen = seen * (1 + 2.0 * np.gradient(slope, axis=1) + 1.0 * np.gradient(slope, axis=0)).astype(np.float32)[..., None]
        seen = seen * mask[..., None] + table * (1 - mask)[..., None]
    if shot.over:
        seen = objects(seen, shot.over, lambda points: geometry.to_photo(np.float64(points) * (pw, ph)), rng)
    seen = seen * light(shot, w, h, rng)[..., None]
    if shot.glare:
        x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        (cx, cy), r = geometry.to_photo([[rng.uniform(.2, .8) * pw, rng.uniform(.2, .8) * ph]])[0], h * rng.uniform(.06, .13)
        seen = seen + shot.glare * np.exp(-((x - cx) ** 2 + 1.8 * (y - cy) ** 2) / (2 * r * r))[..., None]
    seen = seen * np.float32([1 + shot.warmth, 1, 1 - 1.6 * shot.warmth]) * (1.0 if shot.scan else .98)
    seen = cv2.GaussianBlur(seen, (0, 0), max(shot.blur, .2))
    if shot.motion:
        n, a = int(shot.motion * 2) | 1, rng.uniform(0, np.pi)
        kernel = np.zeros((n, n), np.float32)
        half = np.array([np.cos(a), np.sin(a)]) * shot.motion / 2
        cv2.line(kernel, *[tuple(int(round(v)) for v in n // 2 + s * half) for s in (-1, 1)], 1.0, 1, cv2.LINE_AA)
        seen = cv2.filter2D(seen, -1, kernel / kernel.sum())
    noise = rng.standard_normal((h, w, 3)).astype(np.float32) * .5 + rng.standard_normal((h, w, 1)).astype(np.float32)
    seen = seen + cv2.GaussianBlur(noise, (0, 0), .6) * shot.noise * 1.6
    if not shot.scan:                                              # phones sharpen
        seen = seen + .5 * (seen - cv2.GaussianBlur(seen, (0, 0), 1.6))
    picture = (np.clip(seen, 0, 1) * 255 + .5).astype(np.uint8)
    if shot.finish:
        picture = finished(picture, shot.finish, rng)
    return picture, jpeg(picture, shot.bytes), geometry


def jpeg(picture, limit):
    """The best JPEG of at most so many bytes."""
    for quality in (92, 88, 84, 80, 75, 70, 64, 58, 50):
        data = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
        if len(data) <= limit:
            break
    return data
