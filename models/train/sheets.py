"""Cells as the program cuts them from photos of made-up sheets, moves and printed numbers.

    python sheets.py PROGRAM --data DATA --fonts DIR --print DIR --families NAME ... --sheets 400 --first 30000 --out DIR

The sheets are drawn by samples/make, written by hands and in fonts that training knows, printed in the given @fontsource
families, which should not be those that samples/make uses by itself.  Sheets on which a row is off are left out.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

import cv2
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "make"))
import check  # noqa: E402
import forms  # noqa: E402
from sheet import Studio, random_sheet  # noqa: E402

from alphabet import normalise  # noqa: E402


def labels(program, path, truth):
    """The texts by number and colour of a sheet all of whose cells are found; none of any other sheet."""
    found = check.found_cells(program, path)
    if isinstance(found, str) or check.shares(truth, found)[1] < .99:
        return {}
    return {(str(c["number"]), c["colour"]): c["written"] for c in truth["cells"]}


def packed(program, path, folder):
    """The rows of the pack's table with their pictures."""
    subprocess.run([program, "inspect", "--pack", "--out", folder, path], capture_output=True, check=True)
    with open(os.path.join(folder, "cells.tsv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    return zip(rows, np.fromfile(os.path.join(folder, "cells.bin"), np.uint8).reshape(len(rows), -1))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("program"), a.add_argument("--out", required=True)
    a.add_argument("--data", default="../shared/data"), a.add_argument("--fonts"), a.add_argument("--print", dest="print_fonts")
    a.add_argument("--families", nargs="+", default=forms.PRINT_FAMILIES), a.add_argument("--strength", type=float, default=10.0)
    a.add_argument("--sheets", type=int, default=400), a.add_argument("--first", type=int, default=30_000, help="number of the first sheet")
    o = a.parse_args()
    cv2.setNumThreads(1)
    forms.PRINT_FAMILIES[:] = o.families
    studio = Studio(o.data, o.fonts, o.print_fonts)
    languages = sorted(studio.letters)
    os.makedirs(o.out, exist_ok=True)
    photo, folder, index = os.path.join(o.out, "sheet.jpg"), os.path.join(o.out, "sheet"), 0
    with open(os.path.join(o.out, "cells.bin"), "wb") as f, open(os.path.join(o.out, "cells.tsv"), "w", encoding="utf-8") as t:
        t.write("index\tset\tpage\tgame\tnumber\tcolour\ttext\tat\n")
        for seed in range(o.first, o.first + o.sheets):
            language = languages[seed % len(languages)]
            truth = random_sheet(np.random.default_rng(seed), studio, o.strength, None, language)[1]
            with open(photo, "wb") as jpeg:
                jpeg.write(truth.pop("jpeg"))
            written = labels(o.program, photo, truth)
            for row, picture in packed(o.program, photo, folder) if written else ():
                printed = row["colour"] == "number"
                text = (f"{int(row['number']):03}" if truth["form"]["padded"] else row["number"]) if printed else written.get((row["number"], row["colour"]))
                if text and normalise(text):
                    f.write(picture.tobytes())
                    t.write(f"{index}\tsynthetic-{'number' if printed else language}\t{seed}\t{seed}\t{row['number']}\t{row['colour']}\t{normalise(text)}\t\n")
                    index += 1
            print(seed, index, flush=True)


if __name__ == "__main__":
    main()
