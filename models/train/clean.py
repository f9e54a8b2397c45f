"""Drops training cells whose label does not spell the move that was played: mostly errors of the labels.

    python clean.py --cells DIR --played DATA/hcs/played.csv --out DIR

OUT/cells.tsv is the shorter table beside a link to the same cells.bin.  A label spells the move if one of the two is the
other with some signs left out (`exd` for exd5, `Nbd2` for Nd2).  Cells of moves that are not trusted are kept, and held-out
games are left alone: errors of their labels count against the model.
"""
import argparse
import csv
import os

from alphabet import plain
from split import held_out


def within(short, long):
    """Whether `short` is `long` with some signs left out."""
    rest = iter(long)
    return all(sign in rest for sign in short)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--cells"), a.add_argument("--played"), a.add_argument("--out")
    o = a.parse_args()
    with open(o.played, encoding="utf-8", newline="") as f:
        played = {(r["game"], r["number"], r["colour"]): plain(r["san"]) for r in csv.DictReader(f) if r["trusted"] == "1"}
    os.makedirs(o.out, exist_ok=True)
    link = os.path.join(o.out, "cells.bin")
    if not os.path.exists(link):
        os.symlink(os.path.abspath(os.path.join(o.cells, "cells.bin")), link)
    kept = dropped = 0
    with open(os.path.join(o.cells, "cells.tsv"), encoding="utf-8", newline="") as f, \
            open(os.path.join(o.out, "cells.tsv"), "w", encoding="utf-8", newline="") as out:
        for line in f:
            row = line.rstrip("\r\n").split("\t")
            san = played.get((row[3], row[4], row[5]))
            text = plain(row[6])
            descriptive = sum(sign in "KQRBNP" for sign in text) > 1
            spelled = not san or descriptive or within(text, san) or within(san, text)
            if spelled or held_out(row[1], row[3]):
                out.write(line)
                kept += 1
            else:
                dropped += 1
                if dropped % 20 == 0:
                    print("dropped", *row[2:], "for", san)
    print(f"{kept} kept, {dropped} dropped")


if __name__ == "__main__":
    main()
