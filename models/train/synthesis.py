"""Makes training cells that look like the pipeline's crops of a scoresheet, with the text that stands in them.

    python synthesis.py --out DIR --cells 100000 [--seed 1] [--data ../shared/data] [--fonts DIR] [--jobs 2]

Writes DIR/cells.bin (48 x 192 grey bytes a cell) and DIR/cells.tsv, the same pack that the pipeline writes for real
sheets, with one more column: where each sign stands.  A cell's ruled height is the middle 30 of the 48 rows; what leaves the cell, and the neighbours' strokes that
enter it, are kept.  --montage PNG draws a sheet of examples instead.
"""
import argparse
import glob
import multiprocessing
import os

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from alphabet import normalise
from handwriting import TALL, Glyphs, Writer
from moves import CAPITALS_SHARE, Habits, piece_letters, read_games, spelled_game

HEIGHT, WIDTH, PITCH = 48, 192, 30
TOP = (TALL - HEIGHT) // 2                     # where the crop begins in a writer's strip
YS = np.arange(HEIGHT, dtype=np.float32)[:, None]
XS = np.arange(WIDTH, dtype=np.float32)[None, :]


class Sheet:
    """What all cells of one page share: paper, pen, ruling, camera."""

    def __init__(self, rng):
        u = rng.uniform
        self.stretch = u(.75, 1.35)                                # width of the crop against its height
        self.capital = u(13, 30) if rng.random() < .9 else u(28, 36)
        self.steady = u(.04, .18)
        free = max(0.0, 1 - self.capital / PITCH)                  # base line in the cell: big writing fills it
        self.base = u(1 - free * .75, 1.04) if free > .1 else u(.88, 1.1)
        wide = u(165, 205) if rng.random() < .5 else u(95, 180)    # the crop keeps its shape: white beside narrow cells
        self.frame = max(0, int(96 - wide / 2)), min(WIDTH, int(96 + wide / 2 + rng.normal(0, 2)))
        self.left = self.frame[0] + u(4, .35 * (self.frame[1] - self.frame[0]))
        self.left_spread = u(2, 16)
        self.ink = u(.22, .5) if rng.random() < .35 else u(.5, 1.0)
        self.grain = u(0, .5) if rng.random() < .5 else 0.0
        self.ruling = rng.choice([0.0, u(.05, .3), u(.3, .95)], p=[.3, .4, .3])
        self.ruling_thick = u(.7, 2.2)
        self.ruling_offset = rng.normal(0, 1.0, 2)
        self.tilt = rng.normal(0, .006)
        self.broken = rng.random() < .5
        self.sides = rng.choice([0.0, u(.1, .95)], p=[.4, .6])
        self.side_at = self.frame[0] + u(-1, 10), self.frame[1] - u(-1, 9)
        self.tint = u(.0, .3) if rng.random() < .3 else 0.0        # a shaded column left of the cell
        self.printed = rng.random() < .08
        self.paper = u(.93, 1.0)
        self.noise = u(0, .035)
        self.resolution = u(.48, 1.0) if rng.random() < .5 else 1.0
        self.blur = u(0, 1.0) if rng.random() < .5 else 0.0
        self.binary = rng.random() < .12
        self.jpeg = int(u(25, 90)) if rng.random() < .35 else 0
        self.shade = u(0, .12) if rng.random() < .4 else 0.0
        self.specks = u(0, 12) if rng.random() < .2 else 0.0
        self.intrude = rng.random() < .2                           # the next column's strokes at the right edge


def row_strip(writer, sheet, text, rng):
    """The ink of one row's text, the middle of each sign, and where the text begins and ends."""
    u = rng.uniform
    capital = sheet.capital * np.exp(rng.normal(0, sheet.steady))
    x0 = np.clip(sheet.left + rng.normal(0, sheet.left_spread), sheet.frame[0] + 2, sheet.frame[1] - 45)
    base = TOP + 9 + PITCH * sheet.base + rng.normal(0, 2.0)
    right = sheet.frame[1] - 2
    room = right - x0
    if rng.random() < .025:                                        # crossed out, the right move after it
        wrong = list(text)
        for _ in range(int(rng.integers(1, 3))):
            wrong[int(rng.integers(len(wrong)))] = str(rng.choice(list("abcdefgh12345678NBRQ")))
        x0 = sheet.frame[0] + u(3, 12)
        middle = (right - x0) * u(.35, .5)
        ink, _, x1 = writer.draw("".join(wrong), capital * .85, x0, base, middle)
        scribble(ink, x0, x1, base, capital, rng)
        more, at, end = writer.draw(text, capital * .85, x1 + u(6, 14), base, right - x1 - 14)
        return np.maximum(ink, more), at, x0, end
    natural = capital * sheet.stretch * writer.layout(text)[1]
    if natural > room:                                             # a person starts further left, then squeezes
        x0 = max(sheet.frame[0] + u(2, 10), min(x0, right - natural))
        room = right - x0
    keep, writer.width = writer.width, writer.width * sheet.stretch
    ink, at, end = writer.draw(text, capital, x0, base, room)
    writer.width = keep
    if rng.random() < .015:                                        # one sign written over another
        more, _, _ = writer.draw(str(rng.choice(list("abcdefgh12345678"))), capital, u(x0, max(x0 + 1, end - 10)), base, 30)
        ink = np.maximum(ink, (more * .6).astype(np.uint8))
    return ink, at, x0, end


def scribble(ink, x0, x1, base, capital, rng):
    middle = base - capital * .45
    if rng.random() < .6:
        for _ in range(int(rng.integers(1, 4))):
            a, b = rng.normal(middle, capital * .15, 2)
            cv2.line(ink, (int(x0 - 2), int(a)), (int(x1 + 2), int(b)), 255, int(rng.integers(1, 3)), cv2.LINE_AA)
    else:
        xs = np.linspace(x0, x1, 24) + rng.normal(0, 2, 24)
        ys = middle + np.where(np.arange(24) % 2, 1, -1) * capital * rng.uniform(.2, .6) + rng.normal(0, 1.5, 24)
        cv2.polylines(ink, [np.stack([xs, ys], 1).astype(np.int32)], False, 255, int(rng.integers(1, 3)), cv2.LINE_AA)


def ruling(sheet, rng):
    """What is left of the form's lines, as darkness."""
    dark = np.zeros((HEIGHT, WIDTH), np.float32)
    if sheet.ruling:
        for y, offset in ((9, sheet.ruling_offset[0]), (39, sheet.ruling_offset[1])):
            line = y + offset + rng.normal(0, .8) + (XS - WIDTH / 2) * (sheet.tilt + rng.normal(0, .002))
            stroke = np.clip(sheet.ruling_thick / 2 + .5 - np.abs(YS - line), 0, 1)
            if sheet.broken:
                stroke = stroke * cv2.resize(rng.random((1, 12), np.float32) * 1.6 - .4, (WIDTH, 1)).clip(0, 1)
            dark = np.maximum(dark, stroke * sheet.ruling)
    if sheet.sides:
        if sheet.tint:
            dark = np.maximum(dark, np.clip(sheet.side_at[0] - XS, 0, 1) * sheet.tint)
        for x in sheet.side_at:
            line = x + rng.normal(0, 1.0) + (YS - 24) * sheet.tilt
            dark = np.maximum(dark, np.clip(sheet.ruling_thick / 2 + .5 - np.abs(XS - line), 0, 1) * sheet.sides)
    return dark


def finish(ink, sheet, rng):
    """From darkness (0..1) to the grey picture a camera and the light correction give."""
    if sheet.grain:
        ink = ink * (1 - sheet.grain * rng.random(ink.shape, np.float32))
    if sheet.resolution < 1:
        small = cv2.resize(ink, None, fx=sheet.resolution, fy=sheet.resolution, interpolation=cv2.INTER_AREA)
        ink = cv2.resize(small, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)
    if sheet.blur > .3:
        ink = cv2.GaussianBlur(ink, (0, 0), sheet.blur)
    grey = sheet.paper - ink
    if sheet.shade:
        a, b = rng.normal(0, sheet.shade, 2)
        grey = grey + (XS / WIDTH - .5) * a + (YS / HEIGHT - .5) * b
    if sheet.noise:
        grey = grey + rng.standard_normal(grey.shape, np.float32) * sheet.noise
    if sheet.binary:
        cut = sheet.paper - sheet.ink * min(.45, .5 - .3 * sheet.grain) * (1 - .3 * sheet.blur)
        grey = 1 / (1 + np.exp(-(grey - cut) * 25))
    grey = np.clip(grey * 255, 0, 255).astype(np.uint8)
    for _ in range(rng.poisson(sheet.specks) if sheet.specks else 0):
        grey[int(rng.integers(HEIGHT)), int(rng.integers(WIDTH))] = int(rng.integers(0, 120))
    if sheet.jpeg:
        grey = cv2.imdecode(cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, sheet.jpeg])[1], cv2.IMREAD_GRAYSCALE)
    grey[:, :sheet.frame[0]] = 255
    grey[:, sheet.frame[1]:] = 255
    return grey


def printed_numbers(first, count, sheet, fonts, rng):
    """Cells of the form's own column of move numbers: [(picture, text, [])]."""
    wide = rng.uniform(28, 60)
    sheet.frame = int(96 - wide / 2), int(96 + wide / 2)
    sheet.side_at = sheet.frame[0] + rng.uniform(-1, 6), sheet.frame[1] - rng.uniform(-1, 6)
    font = ImageFont.truetype(fonts[int(rng.integers(len(fonts)))], int(rng.integers(10, 25)))
    shade, ink, dot = rng.choice([0.0, rng.uniform(0, .3)]), rng.uniform(.5, 1), "." if rng.random() < .3 else ""
    base, left, out = rng.uniform(29, 35), rng.uniform(4, 12), []
    for number in range(first, first + count):
        picture = Image.new("L", (WIDTH, HEIGHT))
        for row in (-1, 0, 1):
            text = f"{number + row}{dot}"
            at = sheet.frame[0] + left + rng.normal(0, .7), base + PITCH * row + rng.normal(0, .7)
            ImageDraw.Draw(picture).text(at, text, font=font, fill=255, anchor="ls")
        dark = np.maximum(np.asarray(picture, np.float32) * (ink / 255), ruling(sheet, rng)) + shade
        out.append((finish(dark, sheet, rng), normalise(str(number) + dot), []))
    return out


def column(texts, first, writer, sheet, rng):
    """The cells of one column of a page: [(picture, text, middles of its signs)]."""
    rows = [row_strip(writer, sheet, t, rng) for t in texts]
    out = []
    for i, (strip, at, x0, end) in enumerate(rows):
        ink = strip[TOP:TOP + HEIGHT].astype(np.float32)
        if i > 0:
            ink = np.maximum(ink, rows[i - 1][0][TOP + PITCH:TOP + PITCH + HEIGHT])
        if i + 1 < len(rows):
            ink = np.maximum(ink, rows[i + 1][0][TOP - PITCH:TOP - PITCH + HEIGHT])
        if sheet.intrude and end < sheet.frame[1] - 12 and rng.random() < .5:
            other, _, ox, _ = rows[int(rng.integers(len(rows)))]
            n = int(rng.integers(3, 11))
            edge = sheet.frame[1]
            ink[:, edge - n:edge] = np.maximum(ink[:, edge - n:edge], other[TOP:TOP + HEIGHT, int(ox):int(ox) + n])
        ink *= sheet.ink * rng.uniform(.85, 1.1) / 255
        if sheet.printed and x0 > sheet.frame[0] + 16:
            number = np.zeros((HEIGHT, WIDTH), np.uint8)
            cv2.putText(number, str(first + i), (sheet.frame[0] + int(rng.integers(-14, 0)), int(rng.integers(27, 34))), cv2.FONT_HERSHEY_DUPLEX,
                        rng.uniform(.35, .55), 255, 1, cv2.LINE_AA)
            ink = np.maximum(ink, number * np.float32(.8 / 255))
        ink = np.maximum(ink, ruling(sheet, rng))
        if rng.random() < .015:                                    # the table's head above the first row
            ink[:int(rng.integers(3, 12)), sheet.frame[0]:sheet.frame[1]] = rng.uniform(.1, 1)
        out.append((finish(ink, sheet, rng), normalise(texts[i]), at))
    return out


def pages(data, fonts, print_fonts, seed, games=None, held_out=False, foreign=False, capitals=CAPITALS_SHARE):
    """Endless columns of cells: (language, game, colour, first number, [(picture, text, middles)])."""
    rng = np.random.default_rng(seed)
    games, glyphs, languages = games or read_games(data), Glyphs(data, fonts, held_out), piece_letters(data)
    while True:
        number = int(rng.integers(len(games)))
        sans = games[number].split()
        if len(sans) < 10:
            continue
        writer, habits = Writer(glyphs, rng), Habits(rng, languages, *(.12, .2) if foreign else (), capitals=capitals)
        written = spelled_game(sans, habits, rng)
        for colour in (0, 1):
            texts = [t for t in written[colour::2] if t]
            start = int(rng.integers(max(1, len(texts) - 10)))
            sheet = Sheet(rng)
            if texts[start:start + 16]:
                yield habits.language, number, ("white", "black")[colour], start + 1, column(texts[start:start + 16], start + 1, writer, sheet, rng)
        if print_fonts and rng.random() < .25:
            start = int(rng.integers(1, 60))
            yield "number", number, "number", start, printed_numbers(start, 8, Sheet(rng), print_fonts, rng)


def produce(job):
    """One worker's share, written to its own file."""
    data, fonts, print_fonts, seed, count, path, held_out, foreign, capitals = job
    cv2.setNumThreads(1)
    rows, done = [], 0
    with open(path, "wb") as f:
        for language, game, colour, first, cells in pages(data, fonts, print_fonts, seed, None, held_out, foreign, capitals):
            for i, (picture, text, at) in enumerate(cells):
                if text and done < count:
                    f.write(picture.tobytes())
                    rows.append((language, game, first + i, colour, text, " ".join(f"{x:.0f}" for x in at)))
                    done += 1
            if done >= count:
                return rows


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--out"), a.add_argument("--cells", type=int, default=100_000), a.add_argument("--seed", type=int, default=1)
    a.add_argument("--data", default="../shared/data"), a.add_argument("--fonts"), a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--print-fonts", default="/usr/share/fonts/truetype/dejavu", help="for printed move numbers")
    a.add_argument("--held-out", action="store_true", help="hands and fonts that are never trained on")
    a.add_argument("--foreign", action="store_true", help="few English sheets, and many with letters of no one language")
    a.add_argument("--capitals", type=float, default=CAPITALS_SHARE, help="share of the sheets in capitals: E4, NF3")
    a.add_argument("--montage")
    o = a.parse_args()
    print_fonts = sorted(f for k in ("ttf", "otf") for f in glob.glob(os.path.join(o.print_fonts, "**", "*." + k), recursive=True))
    if o.montage:
        tiles, source = [], pages(o.data, o.fonts, print_fonts, o.seed, read_games(o.data, 3000))
        while len(tiles) < 160:
            tiles += [p for p, _, _ in next(source)[4][:5]]
        cv2.imwrite(o.montage, np.vstack([np.hstack(tiles[i:i + 8]) for i in range(0, 160, 8)]))
        return
    os.makedirs(o.out, exist_ok=True)
    share = -(-o.cells // o.jobs)
    jobs = [(o.data, o.fonts, print_fonts, o.seed * 1000 + j, share, os.path.join(o.out, f"part{j}"), o.held_out, o.foreign, o.capitals)
            for j in range(o.jobs)]
    with multiprocessing.Pool(o.jobs) as pool:
        parts = pool.map(produce, jobs)
    index = 0
    with open(os.path.join(o.out, "cells.bin"), "wb") as f, open(os.path.join(o.out, "cells.tsv"), "w", encoding="utf-8") as t:
        t.write("index\tset\tpage\tgame\tnumber\tcolour\ttext\tat\n")
        for job, rows in zip(jobs, parts):
            with open(job[5], "rb") as part:
                while block := part.read(1 << 24):
                    f.write(block)
            os.remove(job[5])
            for language, game, number, colour, text, at in rows:
                t.write(f"{index}\tsynthetic-{language}\t{game}\t{game}\t{number}\t{colour}\t{text}\t{at}\n")
                index += 1
    print(f"{index} cells in {o.out}")


if __name__ == "__main__":
    main()
