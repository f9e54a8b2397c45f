"""Test benches: random sheets as a data set, and their command line."""
import argparse
import csv
import json
import os

import cv2
import numpy as np

from sheet import Studio


def write_set(out, sheets):
    """Writes sheets, given as (name, truth), as a data set for `scoresheet eval` (pages/, written.csv, played.csv), and NAME.json."""
    os.makedirs(os.path.join(out, "pages"), exist_ok=True)
    written, played = [("page", "number", "colour", "written")], [("game", "number", "colour", "san", "trusted")]
    for name, truth in sheets:
        with open(os.path.join(out, "pages", name + ".jpg"), "wb") as f:
            f.write(truth.pop("jpeg"))
        write_json(os.path.join(out, name + ".json"), truth)
        written += [(name + ".jpg", c["number"], c["colour"], c["written"]) for c in truth["cells"] if c["written"]]
        played += [(name, i // 2 + 1, ("white", "black")[i % 2], san, 1) for i, san in enumerate(truth["moves"])]
    for table, rows in (("written.csv", written), ("played.csv", played)):
        with open(os.path.join(out, table), "w", newline="", encoding="utf-8") as f:
            csv.writer(f, lineterminator="\n").writerows(rows)


def bench(doc, count, sheet, flags=()):
    """The command line of a test bench: `sheet(rng, studio, options, number)` is the truth of one sheet, as of `random_sheet`."""
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data")
    a = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--out", required=True), a.add_argument("--count", type=int, default=count), a.add_argument("--first", type=int, default=0)
    a.add_argument("--strength", type=float, default=10.0), a.add_argument("--data", default=data)
    a.add_argument("--hands", help="folder of handwriting fonts (.ttf), see models/train/fonts.py")
    for flag in flags:
        a.add_argument(flag, action="store_true")
    o = a.parse_args()
    cv2.setNumThreads(1)
    studio = Studio(o.data, o.hands, held_out=True)
    write_set(o.out, ((f"{i:05}", sheet(np.random.default_rng(i), studio, o, i)) for i in range(o.first, o.first + o.count)))


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
