"""Fills a printed form in with one writer's hand.

The glyphs and the hand come from the recogniser's training recipe (models/train/handwriting.py), drawn at the page's size.
"""
import os
import sys
from dataclasses import dataclass

import cv2
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/train"))
import handwriting  # noqa: E402

handwriting.WIDE, handwriting.TALL = 1100, 240      # the strip a text is drawn on; the recipe's own is one small cell
BASE = 150                                          # its base line
RECIPE_PITCH = 30                                   # the row height for which the recipe chooses the pen's width

INKS = {"blue": (38, 52, 140), "black": (28, 28, 34), "pencil": (88, 88, 92), "navy": (22, 30, 84), "green": (24, 110, 84)}


@dataclass
class Manner:
    """How a writer uses the cells: lengths are in rows."""
    ink: str = "blue"
    size: float = .62               # height of capitals
    rise: float = .2                # base line above the cell's lower edge
    indent: float = .5              # from the cell's left edge
    wander: float = .06             # how far base line and indent drift
    grow: float = .1                # how much the size changes between moves
    slope: float = 0.0              # of a line of writing
    pressure: float = .92


def random_manner(rng):
    u = rng.uniform
    return Manner(ink=str(rng.choice(list(INKS), p=[.4, .25, .2, .12, .03])), size=u(.45, .85), rise=u(.06, .3), indent=u(.2, 1.3),
                  wander=u(.03, .12), grow=u(.04, .13), slope=rng.normal(0, .012), pressure=u(.75, 1.0))


class Pen:
    """Writes on one page; `ink` is how dark each pixel of the page became (0 to 1)."""

    def __init__(self, writer, manner, printed, rng):
        self.writer, self.manner, self.printed, self.rng = writer, manner, printed, rng
        self.ink = np.zeros(printed.picture.shape[:2], np.float32)
        self.lift = self.shift = 0.0
        self.scale = printed.pitch / RECIPE_PITCH

    def text(self, text, x, base, capital, room):
        """Writes from x on, squeezed into `room` where it must be; gives the x where it ends."""
        writer = self.writer
        keep = writer.pen, writer.unsteady
        writer.pen, writer.unsteady = self.nib, writer.unsteady / self.scale      # the recipe bends a line by its pixels
        strip, _, end = writer.draw(text, capital, 60, BASE, room)
        writer.pen, writer.unsteady = keep
        strip = strip.astype(np.float32) / 255 * self.manner.pressure * self.rng.uniform(.9, 1.05)
        if self.manner.slope:
            m = np.float32([[1, 0, 0], [-self.manner.slope, 1, self.manner.slope * 60]])
            strip = cv2.warpAffine(strip, m, strip.shape[::-1])
        self.stamp(strip, int(round(x)) - 60, int(round(base)) - BASE)
        return x + end - 60

    def stamp(self, strip, x, y):
        h, w = self.ink.shape
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + strip.shape[1], w), min(y + strip.shape[0], h)
        if x1 > x0 and y1 > y0:
            part = self.ink[y0:y1, x0:x1]
            np.maximum(part, strip[y0 - y:y1 - y, x0 - x:x1 - x], out=part)

    def stroke(self, points, width):
        """A free line through the points."""
        layer = np.zeros(self.ink.shape, np.uint8)
        cv2.polylines(layer, [np.round(np.asarray(points) * 16).astype(np.int32)], False, 255, max(1, int(round(width))), cv2.LINE_AA, 4)
        np.maximum(self.ink, layer.astype(np.float32) * (self.manner.pressure / 255), out=self.ink)

    @property
    def nib(self):
        return min(self.writer.pen * self.scale, 6.5)

    def place(self, key):
        """Where the next move starts, wandering from row to row: x, base line, height of capitals."""
        m, pitch, rng = self.manner, self.printed.pitch, self.rng
        x0, _, x1, y1 = self.printed.cells[key]
        self.lift = .7 * self.lift + rng.normal(0, m.wander)
        self.shift = .7 * self.shift + rng.normal(0, m.wander * 2)
        start = self.printed.starts[key]
        free = max(0.0, x1 - start - 2.2 * pitch)
        x = start + np.clip((m.indent + self.shift) * pitch, 4, max(8, free))
        return x, y1 - (m.rise + self.lift) * pitch, pitch * m.size * np.exp(rng.normal(0, m.grow))

    def move(self, key, text, wrong=None, how="scribble", time=""):
        """Writes a move in its cell.  `wrong` is what stood there first: struck out (`how` = "line" or "scribble") with the
        right move beside it, or written over ("over").  `time` is what stands before it.  Returned is where it ends."""
        x, base, capital = self.place(key)
        right = self.printed.cells[key][2] + .12 * self.printed.pitch
        if wrong and how != "over":
            x = self.printed.starts[key] + self.rng.uniform(6, 14)
            end = self.text(wrong, x, base, capital * .9, (right - x) * .45)
            self.strike(x, end, base, capital, how)
            x = end + self.rng.uniform(.2, .4) * self.printed.pitch
        elif wrong:
            self.text(wrong, x, base, capital, right - x)
        if self.printed.form.boxes and not wrong:
            return self.into_boxes(key, text, base, capital)
        natural = capital * self.writer.layout(text)[1]
        if time and not wrong:
            x = self.printed.starts[key] + self.rng.uniform(4, 12)
            end = self.text(time, x, base, capital * .9, (right - x) * .4)
            x = max(end + self.rng.uniform(.3, .6) * self.printed.pitch, min(x + 2.2 * self.printed.pitch, right - natural))
        elif not wrong and x + natural > right:
            x = max(self.printed.starts[key] + 8, right - natural)
        return self.text(text, x, base, capital, right - x)

    def into_boxes(self, key, text, base, capital):
        """Writes one character in each box of a cell, what is left over in the last one."""
        x0, _, x1, _ = self.printed.cells[key]
        boxes = self.printed.form.boxes
        wide = (x1 - x0) / boxes
        signs = [*text[:boxes - 1], text[boxes - 1:]]
        for i, sign in enumerate(signs):
            if sign:
                x = x0 + wide * (i + self.rng.uniform(.12, .25))
                self.text(sign, x, base, min(capital, wide * 1.3), x0 + wide * (i + 1) - 3 - x)
        return x1

    def strike(self, x0, x1, base, capital, how):
        rng, middle = self.rng, base - capital * .45
        if how == "line":
            for _ in range(int(rng.integers(1, 3))):
                a, b = rng.normal(middle, capital * .12, 2)
                self.stroke([(x0 - 5, a), ((x0 + x1) / 2, (a + b) / 2 + rng.normal(0, 3)), (x1 + 6, b)], self.nib)
            return
        n = int((x1 - x0) / 5)
        xs = np.linspace(x0 - 3, x1 + 3, n) + rng.normal(0, 4, n)
        ys = middle + np.where(np.arange(n) % 2, 1, -1) * capital * rng.uniform(.35, .6, n)
        self.stroke(handwriting.curved(np.stack([xs, ys], 1)), self.nib)

    def field(self, name, text, size=44):
        """A header field, word by word."""
        x0, base, x1 = self.printed.fields[name]
        x, size, lift, words = x0 + self.rng.uniform(0, 14), size * self.rng.uniform(.8, 1.0), self.rng.uniform(-4, 8), text.split()
        gap, self.writer.piece_gap = self.writer.piece_gap, 0.0
        for i, word in enumerate(words):
            room = (x1 - x) * len(word) / sum(map(len, words[i:]))
            x = self.text(word, x, base - lift + self.rng.normal(0, 3), size, room) + size * .45
        self.writer.piece_gap = gap

    def signature(self, name):
        """A flourish that nobody can read."""
        x0, base, x1 = self.printed.fields[name]
        rng, long = self.rng, min(x1 - x0, self.rng.uniform(200, 330))
        turns, lean = rng.uniform(3, 6), rng.uniform(.1, .9)
        t = np.linspace(0, 1, 90)
        angle = 2 * np.pi * turns * t ** rng.uniform(.8, 1.3) + rng.uniform(0, 6)
        tall = np.interp(t, np.linspace(0, 1, 7), rng.uniform(6, 42, 7) * np.linspace(1.3, .4, 7))
        xs = x0 + t * long + tall * lean * np.cos(angle) - np.minimum(0, np.sin(angle)) * 8
        ys = base - 20 + tall * np.sin(angle + .5) - t * rng.uniform(0, 25)
        self.stroke(np.stack([xs, ys], 1), self.nib * .9)

    def result(self, result):
        """Ticks, circles or writes the result, and signs."""
        which = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}.get(result)
        if which is not None and self.printed.options:
            x0, y0, x1, y1 = self.printed.options[which]
            if self.printed.form.result == "boxes":
                self.stroke([(x0 - 4, y0 + 3), (x1 + 5, y1 + 2)], self.nib)
                self.stroke([(x1 + 4, y0 - 5), (x0 - 3, y1 + 5)], self.nib)
            else:
                self.circle((x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2 + 8, (y1 - y0) / 2 + 8)
        elif which is not None:
            self.field("result", result, 48)
        for name in ("white sign", "black sign"):
            self.signature(name)

    def circle(self, x, y, a, b):
        t = np.linspace(.3, 6.9, 40)
        r = 1 + .05 * np.sin(2 * t + self.rng.uniform(0, 6)) + .012 * t
        self.stroke(np.stack([x + a * r * np.cos(t), y + b * r * np.sin(t)], 1), self.nib)

    def closing(self, key):
        """A wavy line through the cells below the last move."""
        number, _ = key
        below = [self.printed.cells[n, c] for (n, c) in self.printed.cells if n > number and c == "black"]
        same = [c for c in below if abs(c[0] - self.printed.cells[number, "black"][0]) < 5]
        if len(same) < 3:
            return
        x0, x1 = self.printed.starts[number, "white"], same[0][2]
        top, bottom = same[1][1], same[min(len(same) - 1, int(self.rng.integers(3, 12)))][3]
        n, swing = int(self.rng.integers(2, 7)), self.rng.uniform(.15, .4)
        across = .5 + swing * np.where(np.arange(n) % 2, 1, -1) * self.rng.uniform(.6, 1, n)
        points = np.stack([x0 + (x1 - x0) * across, np.linspace(top, bottom, n)], 1)
        self.stroke(smooth(points + self.rng.normal(0, 12, (n, 2))), self.nib)

    def page(self):
        """The page with its ink, RGB 0..1."""
        rng, ink = self.rng, self.ink
        h, w = ink.shape
        if self.manner.ink == "pencil":
            grain = rng.random((h, w), np.float32)
            grain = cv2.GaussianBlur(grain, (0, 0), .9)
            ink = ink * np.clip(1.25 - 1.3 * np.abs(grain - .5) * 4, .25, 1)
            ink = cv2.GaussianBlur(ink, (0, 0), .7)
        else:
            flow = cv2.resize(rng.random((h // 14, w // 14), np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
            ink = ink * (.82 + .18 * flow)
        colour = np.float32(INKS[self.manner.ink]) / 255
        picture = self.printed.picture.astype(np.float32) / 255
        return picture * (1 - ink[..., None]) + np.minimum(picture, colour) * ink[..., None]


def smooth(points, steps=14):
    """A Catmull-Rom curve through the points."""
    p = np.vstack([points[:1], points, points[-1:]]).astype(np.float32)
    t = np.linspace(0, 1, steps, endpoint=False, dtype=np.float32)[:, None]
    out = [.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t ** 2 + (3 * b - a - 3 * c + d) * t ** 3)
           for a, b, c, d in zip(p, p[1:], p[2:], p[3:])]
    return np.vstack(out + [p[-1:]])
