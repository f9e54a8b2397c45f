"""How well the program's cells fit the true ones.

    python check.py PROGRAM PHOTOS JSONS

Runs `PROGRAM read --json` on every photo in the folder PHOTOS that has a truth NAME.json in the folder JSONS (make.py writes
them with --random beside the folder pages/, and with --geometry).  For each: the share of the written cells that a cell of the program covers (intersection over
union at least 0.7: "placed"), and of those with the right number and colour too ("numbered").
"""
import glob
import json
import os
import subprocess
import sys

import cv2
import numpy as np


def found_cells(program, photo):
    """[(number, colour, quad)] as the program sees them, or the sentence with which it refuses."""
    run = subprocess.run([program, "read", "--json", photo], capture_output=True, text=True)
    try:
        plies = json.loads(run.stdout)["plies"]
    except ValueError:
        return (run.stderr.strip().splitlines() or ["no output"])[-1]
    return [(p["number"], p["colour"], np.float32(w["quad"])) for p in plies for w in p["written"]]


def overlap(a, b):
    """Intersection over union of two quads."""
    if (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any():
        return 0.0
    common = cv2.intersectConvexConvex(a, b)[0]
    return common / max(cv2.contourArea(a) + cv2.contourArea(b) - common, 1e-6)


def shares(truth, found):
    """Shares of placed and of numbered cells."""
    placed = numbered = total = 0
    for cell in truth["cells"]:
        if cell["written"]:
            quad, total = np.float32(cell["quad"]), total + 1
            here = [(n, c) for n, c, other in found if overlap(quad, other) >= .7]
            placed += bool(here)
            numbered += (cell["number"], cell["colour"]) in here
    return placed / max(total, 1), numbered / max(total, 1)


def main():
    program, photos, jsons = sys.argv[1:4]
    sums = []
    for path in sorted(glob.glob(os.path.join(jsons, "*.json"))):
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as f:
            truth = json.load(f)
        found = found_cells(program, os.path.join(photos, name + ".jpg"))
        sums.append((0.0, 0.0) if isinstance(found, str) else shares(truth, found))
        print(f"{name:24} placed {sums[-1][0]:6.1%}  numbered {sums[-1][1]:6.1%}  {found if isinstance(found, str) else ''}", flush=True)
    placed, numbered = np.mean(sums, 0)
    all_placed, all_numbered = np.mean([[share >= .995 for share in pair] for pair in sums], 0)
    print(f"{len(sums)} sheets: placed {placed:.1%} (all on {all_placed:.1%}), numbered {numbered:.1%} (all on {all_numbered:.1%})")


if __name__ == "__main__":
    main()
