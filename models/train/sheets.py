"""Cells as the program cuts them from photos of made-up sheets, moves and numbers.

    python sheets.py PROGRAM --data DATA --fonts DIR --print DIR --families NAME ... --sheets 400 --first 30000 --out DIR

The sheets are drawn by samples/make, written by hands and in fonts that training knows, printed in the given @fontsource
families, which should not be those that samples/make uses by itself.  With --kinds they are forms, forms as hardly any club
has, notebook pages, such with Black's moves behind White's and running text, in turn.  Sheets whose game is not read nearly
as it was played are left out: there a row is off.
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
import forms  # noqa: E402
import notebook  # noqa: E402
from sheet import Studio, random_sheet  # noqa: E402

from alphabet import normalise  # noqa: E402


# Share of the moves played that must be read for the rows to be where they were drawn.
NEARLY = .9


def labels(program, path, truth):
    """The texts by number and colour of a sheet whose game is read nearly as it was played; none of any other sheet."""
    run = subprocess.run([program, "read", "--json", path], capture_output=True, text=True)
    try:
        read = {(p["number"], p["colour"]): p["san"] for p in json.loads(run.stdout)["plies"]}
    except ValueError:
        return {}
    played = {(i // 2 + 1, ("white", "black")[i % 2]): san for i, san in enumerate(truth["moves"])}
    written = {(c["number"], c["colour"]): c["written"] for c in truth["cells"] if c["written"]}
    right = sum(read.get(key) == played.get(key) for key in written)
    return {(str(n), colour): text for (n, colour), text in written.items()} if right >= NEARLY * len(written) > 0 else {}


def drawn(kind, seed, studio, strength, language):
    """The truth of a sheet of a kind."""
    rng = np.random.default_rng(seed)
    if kind in ("form", "rare"):
        return random_sheet(rng, studio, strength, None, language, odd=kind == "rare")[1]
    return notebook.kept(rng, studio, strength, kind == "ragged", languages=[language], running=kind == "running")


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
    a.add_argument("--kinds", nargs="+", default=["form"], choices=["form", "rare", "notebook", "ragged", "running"])
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
            truth = drawn(o.kinds[seed % len(o.kinds)], seed, studio, o.strength, language)
            with open(photo, "wb") as jpeg:
                jpeg.write(truth.pop("jpeg"))
            written = labels(o.program, photo, truth)
            for row, picture in packed(o.program, photo, folder) if written else ():
                printed = row["colour"] == "number"
                text = (f"{int(row['number']):03}" if truth["form"].get("padded") else row["number"]) if printed else written.get((row["number"], row["colour"]))
                if text and normalise(text):
                    f.write(picture.tobytes())
                    t.write(f"{index}\tsynthetic-{'number' if printed else language}\t{seed}\t{seed}\t{row['number']}\t{row['colour']}\t{normalise(text)}\t\n")
                    index += 1
            print(seed, truth.get("paper", "form"), index, flush=True)


if __name__ == "__main__":
    main()
