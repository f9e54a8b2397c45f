"""Finds where each sign of a labelled cell stands, by a trained model's best path: the column `at` of cells.tsv.

    python places.py CHECKPOINT --cells DIR...

Cells that the model does not read as their label get no places.  cells.py needs the places to splice cells.
"""
import argparse
import csv
import os

import torch

from cells import Pack, WIDTH
from evaluate import load
from model import STEPS
from train import log_probabilities


def spikes(path):
    """[(sign, its middle step)] of a best path."""
    out, before = [], 0
    for t, k in enumerate(path):
        if k and k != before:
            out.append([k, t, t])
        elif k:
            out[-1][2] = t
        before = k
    return [(k, (a + b) / 2) for k, a, b in out]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("checkpoint"), a.add_argument("--cells", nargs="+")
    o = a.parse_args()
    torch.set_num_threads(1)
    model, _ = load(o.checkpoint)
    model = model.to(memory_format=torch.channels_last)
    for folder in o.cells:
        pack = Pack([folder])
        paths = log_probabilities(model, pack, torch.device("cpu")).argmax(2).tolist()
        at = {}
        for row, label, path in zip(pack.rows, pack.labels, paths):
            found = spikes(path)
            if [k for k, _ in found] == label:
                at[row["index"]] = " ".join(str(round((t + .5) * WIDTH / STEPS)) for _, t in found)
        table = os.path.join(folder, "cells.tsv")
        with open(table + ".part", "w", encoding="utf-8", newline="") as f:
            w = csv.writer(f, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n", escapechar="\\")
            columns = [c for c in pack.rows[0] if c != "at"]
            w.writerow(columns + ["at"])
            for row in pack.rows:
                w.writerow([row[c] for c in columns] + [at.get(row["index"], "")])
        os.replace(table + ".part", table)
        print(f"{folder}: places in {len(at)} of {len(pack)} cells")


if __name__ == "__main__":
    main()
