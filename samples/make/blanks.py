"""Fills in pictures of real blank forms and photographs them: a test bench whose forms nobody here has drawn.

    python blanks.py --out DIR --count 48 [--first 0] [--strength 10] [--data ../../../shared/data] [--hands DIR]

The forms are those of DATA/forms; blanks.json says where the moves stand on each: `tables` of `rows` rows from `top` to
`bottom`, with `pairs` of columns [first move number, White's left and right, Black's left and right], in pixels of the upright
form shown `shown` pixels wide; `clockwise` quarter turns make it upright.  Sheet number n has seed n; DIR is a data set as
`make.py --random` writes it.
"""
import json
import os

import cv2
import numpy as np

from forms import PAGE_HEIGHT, Form, Printed
from bench import bench
from pen import random_manner
from photo import photograph, random_shot
from sheet import Notes, fill, truth_of


def blank(path, where):
    """The form of a picture, as `print_form` gives those that it draws: no header fields, no result."""
    picture = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
    picture = np.ascontiguousarray(np.rot90(picture, -where.get("clockwise", 0)))
    h, w = picture.shape[:2]
    k = PAGE_HEIGHT / h
    picture = cv2.resize(picture, (round(w * k), PAGE_HEIGHT), interpolation=cv2.INTER_CUBIC)
    k = picture.shape[1] / where["shown"]
    cells, edges = {}, []
    for table in where["tables"]:
        ys = np.linspace(table["top"], table["bottom"], table["rows"] + 1) * k
        for first, *xs in table["pairs"]:
            for row in range(table["rows"]):
                cells[first + row, "white"] = xs[0] * k, ys[row], xs[1] * k, ys[row + 1]
                cells[first + row, "black"] = xs[2] * k, ys[row], xs[3] * k, ys[row + 1]
            edges.append((xs[0] * k, ys[0], xs[3] * k, ys[-1]))
    pitch = min((t["bottom"] - t["top"]) / t["rows"] for t in where["tables"]) * k
    low, high = np.min(edges, 0)[:2], np.max(edges, 0)[2:]
    return Printed(Form(language=where["language"]), picture, cells, {key: cell[0] for key, cell in cells.items()},
                   table=(*low, *high), pitch=pitch)


def filled(rng, studio, data, name, where, strength):
    """The truth of a sheet as of `random_sheet`, on a given form."""
    printed = blank(os.path.join(data, "forms", name), where)
    sans, result = studio.game(rng, 8, min(90, len(printed.cells) // 2))
    habits = studio.habits(rng, where["language"] if rng.random() < .7 else None)
    notes = Notes.of(sans, habits, rng)
    for ply in notes.texts:
        if rng.random() < .012:
            notes.wrong[ply] = notes.texts[int(rng.integers(len(sans)))], str(rng.choice(["line", "scribble", "over"], p=[.35, .5, .15]))
    page, written = fill(printed, notes, {}, result, studio.writer(rng), random_manner(rng), rng, last=False)
    picture, jpeg, geometry = photograph(page, random_shot(rng, strength), rng)
    header = dict.fromkeys(("Event", "Site", "Date", "Round", "White", "Black"), "?")
    return truth_of(printed, written, geometry, picture, header, sans, result) | {"written_in": habits.language, "jpeg": jpeg}


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "blanks.json"), encoding="utf-8") as f:
        blanks = sorted(json.load(f).items())
    bench(__doc__, 48, lambda rng, studio, o, i: filled(rng, studio, o.data, *blanks[i % len(blanks)], o.strength))


if __name__ == "__main__":
    main()
