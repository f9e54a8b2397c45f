"""Real cells whose piece letter is exchanged for a drawn one, so that letters English sheets lack stand in real ink.

    python graft.py --data DIR --fonts DIR --cells DIR... --out DIR [--times 3] [--seed 1]

Takes cells of training games that begin with a piece letter and have places (places.py).  All cells of a page, once each
time, are by one writer in one language: the letter's ink is taken out, the drawn letter is put there with the old one's
height, base line and darkness.  The pack is of the same form as that of synthesis.py.
"""
import argparse
import collections
import os

import cv2
import numpy as np

from alphabet import normalise
from cells import Pack, lightest
from handwriting import TALL, WIDE, Glyphs, Writer
from moves import ANY, ENGLISH, piece_letters
from split import held_out


def letters_of_writer(languages, rng):
    """English letter -> what this writer puts, of a language or of no language at all."""
    if rng.random() < .6:
        return languages[int(rng.integers(len(languages)))]
    return "any", dict(zip("KQRBN", rng.permutation(ANY)[:5]))


def pen_of(ink):
    """Width of the pen's stroke in pixels, from area and outline of the dark pixels."""
    dark = (ink > .5 * ink.max()).astype(np.uint8)
    inner = cv2.erode(dark, np.ones((3, 3), np.uint8))
    outline = int(dark.sum()) - int(inner.sum())
    return float(np.clip(2 * dark.sum() / max(outline, 1), 1.2, 4.0))


def graft(cell, at, text, writer, rng):
    """The cell with `text` in the place of its first sign, and the middles of its signs; none where that cannot be."""
    cut = lightest(cell, at[:2])
    start = lightest(cell, (at[0] - 28, at[0] - max(5, cut - at[0]) + 2)) if at[0] > 28 else 0
    paper = np.median(cell[:, max(0, at[0] - 30):at[-1] + 20], 1)
    ink = np.clip(paper[:, None] - cell.astype(np.float32), 0, 255)
    letter = ink[5:43, start:cut]
    rows = np.where(letter.max(1) > .45 * letter.max())[0]
    if letter.max() < 25 or len(rows) < 10 or cut - start < 8:
        return None
    top, base, dark = 5 + rows[0], 5 + rows[-1] + 1, float(np.percentile(letter[letter > .3 * letter.max()], 75))
    capital = float(np.clip(base - top, 12, 34)) * np.exp(rng.normal(0, .07))
    writer.pen = pen_of(letter)
    room = cut - start + 6 if len(text) == 1 else cut - start + 16
    drawn, where, end = writer.draw(text, capital, start + 3, (TALL - 48) // 2 + base, room)
    shift = int(round(end)) + 1 - cut                              # the rest of the move stands after the letter
    out = np.repeat(paper[:, None], WIDE, 1).astype(np.float32)
    if cut + shift > WIDE - 40 or shift < -20 or cut + shift < 0:
        return None
    rest = cell[:, cut:WIDE - max(shift, 0)]
    out[:, cut + shift:cut + shift + rest.shape[1]] = rest
    left = min(start, cut + shift)
    out[:, :left] = cell[:, :left]
    strip = drawn[(TALL - 48) // 2:(TALL - 48) // 2 + 48].astype(np.float32) / 255
    texture = 1 - rng.uniform(0, .35) * rng.random(strip.shape, np.float32)
    out -= np.minimum(strip * texture * dark, out)
    grain = ink[5:43, start:cut][letter < .2 * letter.max()]
    if len(grain):
        out[:, left:max(left, cut + shift)] -= rng.normal(0, min(6.0, float(grain.std()) + .5), (48, max(0, cut + shift - left)))
    return out.clip(0, 255).astype(np.uint8), list(where) + [x + shift for x in at[1:]]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--data", required=True), a.add_argument("--fonts"), a.add_argument("--cells", nargs="+", required=True)
    a.add_argument("--out", required=True), a.add_argument("--times", type=int, default=3), a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng(o.seed)
    pack = Pack(o.cells, lambda r: not held_out(r["set"], r["game"]) and r["colour"] != "number" and r["text"][:1] in ENGLISH and r.get("at"))
    pages = collections.defaultdict(list)
    for n, row in enumerate(pack.rows):
        pages[row["set"], row["page"]].append(n)
    glyphs, languages = Glyphs(o.data, o.fonts), piece_letters(o.data)
    os.makedirs(o.out, exist_ok=True)
    index = 0
    with open(os.path.join(o.out, "cells.bin"), "wb") as f, open(os.path.join(o.out, "cells.tsv"), "w", encoding="utf-8") as t:
        t.write("index\tset\tpage\tgame\tnumber\tcolour\ttext\tat\n")
        for _ in range(o.times):
            for (name, page), cells in pages.items():
                language, letters = letters_of_writer(languages, rng)
                writer = Writer(glyphs, rng)
                for n in cells:
                    row, at = pack.rows[n], [int(x) for x in pack.rows[n]["at"].split()]
                    if len(at) != len(pack.labels[n]) or len(at) < 3:
                        continue
                    written = letters.get(row["text"][0])
                    made = written and graft(pack.picture(n), at, written, writer, rng)
                    if not made:
                        continue
                    f.write(made[0].tobytes())
                    t.write(f"{index}\tgrafted-{language}\t{name}-{page}\t{row['game']}\t{row['number']}\t{row['colour']}\t"
                            f"{normalise(written + row['text'][1:])}\t{' '.join(f'{x:.0f}' for x in made[1])}\n")
                    index += 1
    print(f"{index} cells in {o.out}")


if __name__ == "__main__":
    main()
