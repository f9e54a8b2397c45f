"""How well the program's grid fits the true one.

    python check.py PROGRAM PHOTOS [JSONS]

Runs `PROGRAM read --json` on every photo in the folder PHOTOS that has a truth NAME.json (written by make.py with --random, or
with --geometry, into the folder JSONS).  For each: the share of the written cells in whose quad lies the middle of a cell that the
program found ("placed"), and of those with the right number and colour too ("numbered").
"""
import glob
import json
import os
import subprocess
import sys

import cv2
import numpy as np


def found_cells(program, photo):
    """[(number, colour, middle)] as the program sees them, or the sentence with which it refuses."""
    run = subprocess.run([program, "read", "--json", photo], capture_output=True, text=True)
    try:
        plies = json.loads(run.stdout)["plies"]
    except ValueError:
        return (run.stderr.strip().splitlines() or ["no output"])[-1]
    return [(p["number"], p["colour"], np.mean(w["quad"], 0)) for p in plies for w in p["written"]]


def shares(truth, found):
    """Shares of placed and of numbered cells."""
    placed = numbered = total = 0
    for cell in truth["cells"]:
        if cell["written"]:
            quad, total = np.float32(cell["quad"]), total + 1
            here = [(n, c) for n, c, m in found if cv2.pointPolygonTest(quad, (float(m[0]), float(m[1])), False) >= 0]
            placed += bool(here)
            numbered += (cell["number"], cell["colour"]) in here
    return placed / max(total, 1), numbered / max(total, 1)


def main():
    program, photos = sys.argv[1:3]
    sums = []
    for path in sorted(glob.glob(os.path.join(sys.argv[3] if len(sys.argv) > 3 else photos, "*.json"))):
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as f:
            truth = json.load(f)
        found = found_cells(program, os.path.join(photos, name + ".jpg"))
        sums.append((0.0, 0.0) if isinstance(found, str) else shares(truth, found))
        print(f"{name:24} placed {sums[-1][0]:6.1%}  numbered {sums[-1][1]:6.1%}  {found if isinstance(found, str) else ''}", flush=True)
    placed, numbered = np.mean(sums, 0)
    print(f"{len(sums)} sheets: placed {placed:.1%}, numbered {numbered:.1%}, all numbered on {np.mean([n >= .995 for _, n in sums]):.1%}")


if __name__ == "__main__":
    main()
