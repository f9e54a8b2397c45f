"""Puts labels to the cells that `scoresheet inspect --pack` cut: DIR/cells.tsv as train.py wants it.

    scoresheet inspect --pack --out WORK/cells/hcs DATA/hcs/pages/*.jpg
    python label.py hcs DATA/hcs/written.csv WORK/cells/hcs

Cells with neither label nor printed number are dropped from the table (not from cells.bin).
"""
import csv
import os
import re
import sys


def main():
    name, written, folder = sys.argv[1:4]
    with open(written, encoding="utf-8", newline="") as f:
        labels = {(r["page"], r["number"], r["colour"]): r["written"] for r in csv.DictReader(f)}
    table = os.path.join(folder, "cells.tsv")
    with open(table, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    with open(table + ".part", "w", encoding="utf-8") as f:
        f.write("index\tset\tpage\tgame\tnumber\tcolour\ttext\n")
        for r in rows:
            printed = r["colour"] == "number"
            text = r["number"] if printed else labels.get((r["page"], r["number"], r["colour"]), "")
            if text:
                game = re.split("[_.]", r["page"])[0]
                group = name + "-number" if printed else name
                f.write("\t".join((r["index"], group, r["page"], game, r["number"], r["colour"], text)) + "\n")
    os.replace(table + ".part", table)


if __name__ == "__main__":
    main()
