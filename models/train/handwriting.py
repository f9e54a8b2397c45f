"""Draws a line of text in the hand of one made-up writer.

A writer is a choice of glyphs (pen strokes of real people, photographed letters and digits, or a handwriting font)
and of habits (slant, proportions, spacing, pen width, unsteadiness).  The same writer is used for a whole game.

Lengths are in units of the height of a capital letter; y grows upwards from the base line.
"""
import glob
import gzip
import json
import os

import cv2
import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont

WIDE, TALL, FINE = 192, 108, 2      # the drawn strip in pixels, and how many times finer it is drawn

# Signs that no glyph collection has, as pen strokes: a list of strokes, each a list of (x, y).
SIGNS = {
    "+": [[(.0, .45), (.55, .45)], [(.28, .72), (.28, .16)]],
    "#": [[(.2, .9), (.1, .05)], [(.5, .9), (.4, .05)], [(.0, .62), (.62, .64)], [(.0, .32), (.6, .34)]],
    "=": [[(.0, .56), (.5, .56)], [(.0, .32), (.5, .32)]],
    "-": [[(.0, .45), (.5, .45)]],
    ":": [[(.03, .58), (.06, .54)], [(.03, .1), (.06, .06)]],
    ".": [[(.03, .07), (.06, .03)]],
    "/": [[(.45, 1.05), (.0, -.1)]],
    "(": [[(.28, 1.1), (.08, .85), (.0, .5), (.08, .15), (.28, -.12)]],
    ")": [[(.0, 1.1), (.2, .85), (.28, .5), (.2, .15), (.0, -.12)]],
    "!": [[(.06, 1.0), (.03, .28)], [(.02, .06), (.05, .02)]],
    "?": [[(.0, .78), (.06, .96), (.25, 1.0), (.4, .85), (.36, .66), (.18, .48), (.17, .26)], [(.16, .06), (.19, .02)]],
    "x": [[(.0, .6), (.5, .0)], [(.5, .62), (.0, .0)]],
    "1": [[(.1, 1.0), (.08, .0)]],
    "O": [[(.3, 1.0), (.08, .85), (.0, .5), (.08, .12), (.3, .0), (.52, .12), (.6, .5), (.52, .88), (.3, 1.0)]],
}
# Chessmen as people draw them, quickly.
FIGURINES = {
    "♔": [[(.3, 1.0), (.3, .72)], [(.18, .88), (.42, .88)], [(.12, .0), (.0, .45), (.1, .62), (.3, .5), (.5, .62), (.6, .45), (.48, .0), (.12, .0)]],
    "♕": [[(.1, .0), (.0, .85), (.17, .45), (.3, 1.0), (.43, .45), (.6, .85), (.5, .0), (.1, .0)]],
    "♖": [[(.05, .0), (.12, .2), (.12, .6), (.0, .65), (.0, .95), (.12, .95), (.12, .82), (.24, .82), (.24, .95), (.36, .95), (.36, .82),
           (.48, .82), (.48, .95), (.6, .95), (.6, .65), (.48, .6), (.48, .2), (.55, .0), (.05, .0)]],
    "♗": [[(.1, .0), (.5, .0)], [(.2, .05), (.1, .35), (.15, .6), (.3, .9), (.45, .6), (.5, .35), (.4, .05)], [(.3, .62), (.3, .38)], [(.2, .5), (.4, .5)]],
    "♘": [[(.12, .0), (.55, .0), (.55, .45), (.45, .8), (.25, .95), (.2, .8), (.0, .5), (.08, .4), (.28, .52), (.2, .25), (.12, .0)]],
}
FIGURINE_FONTS = [f"/usr/share/fonts/truetype/dejavu/DejaVuSans{k}.ttf" for k in ("", "-Bold")]
GREEK = {"Alpha": "Α", "Beta": "Β", "Iota": "Ι", "Rho": "Ρ", "Pi": "Π"}
LATIN = dict(zip("КСТОΑΒΙΡΠрŞŽ", "KCTOAB1PПpSZ"))   # the same shape under another name

SMALL, ASCENDING, DESCENDING = set("acemnorsuvwxz"), set("bdfhklit"), set("gpqyj")


class Stroked:
    """A glyph made of pen strokes."""

    def __init__(self, strokes, box):
        self.strokes, self.box = strokes, box                      # box: x0, y0, x1, y1


class Pictured:
    """A glyph made of pixels, dark = 255."""

    def __init__(self, picture, box):
        self.picture, self.box = picture, box


def vertical_extent(symbol, shape):
    """Bottom and top of a symbol in this writer's proportions."""
    if symbol in SMALL:
        return 0.0, shape["small"]
    if symbol in ASCENDING:
        return (-shape["below"] if symbol == "f" and shape["long_f"] else 0.0), shape["ascender"]
    if symbol in DESCENDING:
        return -shape["below"], shape["small"]
    if symbol.isdigit():
        return 0.0, shape["digit"]
    return 0.0, 1.0


class Glyphs:
    """All glyph collections, loaded once."""

    def __init__(self, data, fonts=None, held_out=False):
        """Of people, pictures and fonts one part in six is held out, to check with."""
        def share(items):
            return items[:60] if held_out else items[60:460]
        folder = os.path.join(data, "glyphs")
        raw = json.load(open(os.path.join(folder, "latin-strokes.json"), encoding="utf-8"))
        self.strokes = {c: [[np.asarray(s, np.float32) * (1, -1) for s in g if len(s)] for g in gs] for c, gs in raw.items()}
        people = min(len(g) for g in self.strokes.values())
        self.people = range(9) if held_out else range(9, people)
        self.pictures = {}
        for name, first in (("az_uniform", "A"), ("t10k", "0")):
            images, labels = (read_idx(os.path.join(folder, f"{name}-{k}-ubyte.gz")) for k in ("images-idx3", "labels-idx1"))
            for value in np.unique(labels):
                found = share(images[labels == value])
                self.pictures[chr(ord(first) + int(value))] = [tight(p) for p in found]
        for name, letters in (("cyrillic", dict(zip("флцдпрксто", "ФЛЦДПрКСТО"))), ("greek", GREEK)):
            z = np.load(os.path.join(folder, name + ".npz"))
            images = z["images"] if z["images"].mean() < 128 else 255 - z["images"]
            thicken = np.ones((3, 3), np.uint8) if name == "greek" else None
            for value, label in enumerate(z["names"]):
                if str(label) in letters:
                    found = share(images[z["labels"] == value])
                    self.pictures[letters[str(label)]] = [p for p in (tight(p, thicken) for p in found) if p is not None]
        self.figurines = [ImageFont.truetype(f, 72) for f in FIGURINE_FONTS if os.path.exists(f)]
        found = sorted(glob.glob(os.path.join(fonts, "*.ttf"))) if fonts else []
        found = [f for i, f in enumerate(found) if (i % 6 == 0) == held_out]
        if fonts and not held_out:
            found += sorted(f for f in glob.glob(os.path.join(fonts, "more", "*.ttf")) if os.path.basename(f).count(".") == 1)
        self.fonts = [ImageFont.truetype(f, 72) for f in found]
        self.alphabets = [[(ImageFont.truetype(other, 72), TTFont(other).getBestCmap()) for other in sorted(glob.glob(f[:-3] + "*.ttf"))]
                          for f in found]
        self.font_cache = {}

    def from_font(self, number, symbol):
        """The glyph of a font in units of that font's capital height, or None where the font has none."""
        key = number, symbol
        if key not in self.font_cache:
            font, glyph = self.fonts[number], None
            capital = -font.getbbox("N", anchor="ls")[1]
            if not symbol.isascii():
                font = next((f for f, signs in self.alphabets[number] if ord(symbol) in signs), None)
                if not font:
                    self.font_cache[key] = None
                    return None
            x0, y0, x1, y1 = font.getbbox(symbol, anchor="ls")
            if x1 > x0 and y1 > y0 and capital > 0:
                picture = Image.new("L", (x1 - x0 + 4, y1 - y0 + 4))
                ImageDraw.Draw(picture).text((2 - x0, 2 - y0), symbol, font=font, fill=255, anchor="ls")
                width = (x1 - x0 + 4) / capital
                glyph = Pictured(np.asarray(picture), (0.0, -(y1 + 2) / capital, width, -(y0 - 2) / capital))
            self.font_cache[key] = glyph
        return self.font_cache[key]


def read_idx(path):
    raw = gzip.open(path).read()
    shape = np.frombuffer(raw, ">i4", raw[3], 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def tight(picture, thicken=None):
    """A small picture cut to its ink, enlarged to some 80 pixels of height; None if it is empty."""
    if thicken is not None:
        picture = cv2.dilate(picture, thicken)
    ys, xs = np.where(picture > 60)
    if not len(ys):
        return None
    cut = picture[ys.min():ys.max() + 1, xs.min():xs.max() + 1]
    return cv2.copyMakeBorder(cv2.resize(cut, None, fx=84 / picture.shape[0], fy=84 / picture.shape[0], interpolation=cv2.INTER_CUBIC), 3, 3, 3, 3, cv2.BORDER_CONSTANT)


class Writer:
    """One hand.  `draw` gives the ink of a text; two drawings of one text differ as a person's do."""

    def __init__(self, glyphs, rng):
        self.glyphs, self.rng = glyphs, rng
        kinds = ["strokes", "mixed"] + (["font"] if glyphs.fonts else [])
        self.kind = rng.choice(kinds, p=[.38, .22, .4] if glyphs.fonts else [.6, .4])
        self.person = int(rng.choice(glyphs.people))
        self.loyalty = rng.choice([1.0, .8, .3])                   # how often a glyph is this person's own
        self.font = int(rng.integers(len(glyphs.fonts))) if glyphs.fonts else 0
        self.weight = int(rng.choice([-3, -2, 0, 3, 5, 7], p=[.12, .13, .35, .2, .12, .08]))     # a font's strokes, thinner or thicker
        self.warp = rng.uniform(0, .07) if rng.random() < .8 else 0.0                              # of pictures and font glyphs, once a sign
        self.shape = dict(small=rng.uniform(.5, .85), ascender=rng.uniform(.9, 1.25), below=rng.uniform(.2, .55),
                          digit=rng.uniform(.75, 1.1), long_f=rng.random() < .35)
        self.slant = rng.normal(.12, .2)
        self.width = rng.uniform(.75, 1.25)
        self.gap = rng.uniform(-.02, .3)
        self.pen = rng.choice([rng.uniform(1.2, 2.0), rng.uniform(1.8, 3.2)])      # pixels of the finished cell
        self.unsteady = rng.uniform(.3, 1.2)
        self.piece_gap = rng.uniform(.1, .6) if rng.random() < .15 else 0.0
        self.zero = "0" if rng.random() < .5 else "O"
        self.kept = {}

    def glyph(self, symbol):
        """One of this writer's two or so ways to draw a symbol."""
        ways = self.kept.setdefault(symbol, [])
        if len(ways) < 2 and (not ways or self.rng.random() < .25):
            ways.append(self.new_glyph(symbol))
        return ways[int(self.rng.integers(len(ways)))]

    def new_glyph(self, symbol):
        rng, glyphs = self.rng, self.glyphs
        if symbol in FIGURINES:
            return self.figurine(symbol)
        own = glyphs.from_font(self.font, symbol) if self.kind == "font" and not symbol.isascii() else None
        if own:
            return self.bent(own)
        if symbol in LATIN and (symbol not in glyphs.pictures or rng.random() < .5):
            symbol = LATIN[symbol]
        if symbol == "O":
            symbol = self.zero if rng.random() < .85 else "o"
        if symbol in glyphs.pictures and symbol not in glyphs.strokes:
            return self.picture(symbol)
        if self.kind == "font" and symbol.isascii():
            glyph = glyphs.from_font(self.font, symbol)
            if glyph:
                return self.bent(glyph)
        if symbol in SIGNS and (symbol not in glyphs.strokes or rng.random() < .2):
            return self.sign(symbol)
        if self.kind == "mixed" and symbol in glyphs.pictures and rng.random() < .7:
            return self.picture(symbol)
        drawn = glyphs.strokes.get(symbol)
        if not drawn:
            return self.sign(symbol if symbol in SIGNS else "-")
        strokes = drawn[self.person if rng.random() < self.loyalty else int(rng.choice(glyphs.people))]
        low, high = vertical_extent(symbol, self.shape)
        return fitted(strokes, low, high)

    def picture(self, symbol):
        pictures = self.glyphs.pictures[symbol]
        picture = pictures[int(self.rng.integers(len(pictures)))]
        low, high = vertical_extent({"р": "p"}.get(symbol, symbol), self.shape)
        if symbol in "ЦД" and self.rng.random() < .6:
            low = -self.rng.uniform(.05, .25)
        width = (high - low) * picture.shape[1] / picture.shape[0]
        return self.bent(Pictured(picture, (0.0, low, width, high)), 0)

    def bent(self, glyph, weight=None):
        """A glyph of pixels as this writer draws it: strokes thinner or thicker, the whole bent a little."""
        picture, weight = glyph.picture, self.weight if weight is None else weight
        x0, y0, x1, y1 = glyph.box
        h, w = picture.shape
        edge = 6
        picture = cv2.copyMakeBorder(picture, edge, edge, edge, edge, cv2.BORDER_CONSTANT)
        across, up = (x1 - x0) / w * edge, (y1 - y0) / h * edge
        if weight:
            change = (cv2.dilate if weight > 0 else cv2.erode)(picture, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (abs(weight),) * 2))
            if .45 < change.sum() / max(picture.sum(), 1) < 1.9:      # fine strokes stay whole, thick ones open
                picture = change
        if self.warp:
            size = picture.shape[::-1]
            dx, dy = (cv2.resize(self.rng.normal(0, self.warp * h, (4, 4)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC) for _ in "xy")
            xs, ys = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
            picture = cv2.remap(picture, xs + dx, ys + dy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return Pictured(picture, (x0 - across, y0 - up, x1 + across, y1 + up))

    def figurine(self, symbol):
        rng, fonts = self.rng, self.glyphs.figurines
        if fonts and rng.random() < .4:
            if rng.random() < .3:
                symbol = chr(ord(symbol) + 6)
            self.font_of_figurines = getattr(self, "font_of_figurines", int(rng.integers(len(fonts))))
            font = fonts[self.font_of_figurines]
            x0, y0, x1, y1 = font.getbbox(symbol, anchor="ls")
            picture = Image.new("L", (x1 - x0 + 4, y1 - y0 + 4))
            ImageDraw.Draw(picture).text((2 - x0, 2 - y0), symbol, font=font, fill=255, anchor="ls")
            tall = rng.uniform(.95, 1.2)
            return Pictured(np.asarray(picture), (0.0, -.05, tall * picture.width / picture.height, tall - .05))
        return self.sign(symbol)

    def sign(self, symbol):
        rng = self.rng
        grow = rng.uniform(.75, 1.35, 2)
        strokes = []
        for s in SIGNS.get(symbol) or FIGURINES[symbol]:
            s = (np.asarray(s, np.float32) + rng.normal(0, .025, (len(s), 2))) * grow
            strokes.append(curved(s) if len(s) > 2 and symbol != "♖" else s)
        points = np.concatenate(strokes)
        strokes = [s - (points[:, 0].min(), 0) for s in strokes]
        points = np.concatenate(strokes)
        return Stroked(strokes, (0.0, points[:, 1].min(), max(points[:, 0].max(), .06), points[:, 1].max()))

    def layout(self, text):
        """Where each glyph stands: [(glyph, x)], and the width of the whole."""
        x, placed = 0.0, []
        for i, symbol in enumerate(text):
            if symbol == " ":
                x += .45
                continue
            glyph = self.glyph(symbol)
            grow = np.exp(self.rng.normal(0, .05 * self.unsteady, 2)) * (self.width, 1.0)
            placed.append((glyph, x, grow))
            x += (glyph.box[2] - glyph.box[0]) * grow[0] + max(-.1, self.gap + self.rng.normal(0, .05 * self.unsteady))
            if i == 0 and symbol.isupper() and len(text) > 2:
                x += self.piece_gap
        return placed, max(x, .1)

    def draw(self, text, capital, x0, base, room):
        """Ink (0..255, TALL x WIDE) of the text, starting at x0 with its base line at y = base, made to fit `room` pixels.

        Also gives the middle of each glyph and the x where the text ends."""
        rng, canvas = self.rng, np.zeros((TALL * FINE, WIDE * FINE), np.uint8)
        placed, width = self.layout(text)
        across = min(capital, room / width)                        # pixels per unit, sideways
        slope, bend = rng.normal(0, .02 * self.unsteady), rng.normal(0, .0006 * self.unsteady)
        slant = self.slant + rng.normal(0, .04)
        pen = max(1, int(round(min(self.pen, capital * .17) * FINE * rng.uniform(.9, 1.1))))
        middles = []
        for glyph, gx, grow in placed:
            turn = rng.normal(0, .05 * self.unsteady)
            middle = x0 + gx * across
            lift = base + (middle - x0) * slope + (middle - x0) ** 2 * bend + rng.normal(0, .035 * self.unsteady) * capital
            a, b = across * grow[0], capital * grow[1]
            height = (glyph.box[1] + glyph.box[3]) / 2
            middles.append(middle + a * (glyph.box[2] - glyph.box[0]) / 2 + slant * b * height)
            # unit -> pixel: x = middle + a*u + slant*capital*v, y = lift - b*v + turn*a*u
            m = np.array([[a, slant * b, middle], [turn * a, -b, lift]], np.float32)
            if isinstance(glyph, Stroked):
                ink_strokes(canvas, glyph, m, pen, rng, self.unsteady)
            else:
                ink_picture(canvas, glyph, m)
        if self.kind == "font" and rng.random() < .4 and self.pen > 2:
            canvas = cv2.dilate(canvas, np.ones((2, 2), np.uint8))
        canvas = cv2.resize(canvas, (WIDE, TALL), interpolation=cv2.INTER_AREA)
        return canvas, middles, x0 + width * across


def fitted(strokes, low, high):
    """Strokes moved and scaled so that they reach from low to high and start at x = 0."""
    points = np.concatenate(strokes)
    (x0, y0), (x1, y1) = points.min(0), points.max(0)
    scale = (high - low) / max(y1 - y0, (x1 - x0) / 2.5, 1e-3)
    moved = [((s - (x0, y0)) * scale + (0, low)).astype(np.float32) for s in strokes]
    return Stroked(moved, (0.0, low, max((x1 - x0) * scale, .06), high))


def curved(points, steps=5):
    """A rough stroke of few points made smooth."""
    t, fine = np.arange(len(points)), np.linspace(0, len(points) - 1, (len(points) - 1) * steps + 1)
    smooth = np.stack([np.interp(fine, t, points[:, k]) for k in (0, 1)], 1)
    inner = smooth.copy()
    for _ in range(2):
        inner[1:-1] = (inner[:-2] + inner[1:-1] * 2 + inner[2:]) / 4
    return inner


def ink_strokes(canvas, glyph, m, pen, rng, unsteady):
    lean, phase = rng.normal(0, .02 * unsteady, 2), rng.uniform(0, 6.3, 2)
    lines = []
    for s in glyph.strokes:
        u = s + lean * np.sin(s[:, ::-1] * 5 + phase)              # a slow bend, different each time
        p = u @ m[:, :2].T + m[:, 2]
        lines.append(np.round(p * (FINE * 16)).astype(np.int32))
    cv2.polylines(canvas, lines, False, 255, pen, cv2.LINE_AA, 4)


def ink_picture(canvas, glyph, m):
    """Warps the glyph's pixels on to the canvas, in the smallest window that holds them."""
    h, w = glyph.picture.shape
    gx0, gy0, gx1, gy1 = glyph.box
    to_unit = np.array([[(gx1 - gx0) / w, 0, gx0], [0, -(gy1 - gy0) / h, gy1], [0, 0, 1]], np.float32)
    full = (m * FINE) @ to_unit
    corners = np.array([[0, 0, 1], [w, 0, 1], [0, h, 1], [w, h, 1]], np.float32) @ full.T
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, (canvas.shape[1], canvas.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    full[:, 2] -= (x0, y0)
    patch = cv2.warpAffine(glyph.picture, full, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_AREA)
    np.maximum(canvas[y0:y1, x0:x1], patch, out=canvas[y0:y1, x0:x1])
