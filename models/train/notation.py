"""Counts what follows what in written chess moves, for the model of notation that settles doubtful signs of a cell.

    python notation.py --data DIR [--cells DIR...] --out ../notation.tsv

Pieces stand for themselves by their English letters, whatever the language: the program puts a language's letters into
their place.  Each line of the file has up to three signs of context (`^` before the first), a tab, and what follows
with its count (`$` for the end).  The program smooths them as Witten and Bell (1991, method C) do.
"""
import argparse
import collections

import numpy as np

from alphabet import normalise
from cells import Pack
from moves import Habits, read_games, spelled_game
from split import held_out

CONTEXT = 3
RESULTS = ["1-O", "O-1", "1/2-1/2"]


def count(counts, text, weight):
    signs = "^" * CONTEXT + text + "$"
    for i in range(CONTEXT, len(signs)):
        for n in range(CONTEXT + 1):
            counts[signs[i - n:i]][signs[i]] += weight


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--data", required=True), a.add_argument("--cells", nargs="*", default=[], help="packs of real cells")
    a.add_argument("--games", type=int, default=20000), a.add_argument("--out", required=True)
    a.add_argument("--weight", type=int, default=20, help="of a real cell's text against that of a spelled game")
    a.add_argument("--least", type=int, default=4, help="rarer successions are left out"), a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()
    rng = np.random.default_rng(o.seed)
    counts = collections.defaultdict(collections.Counter)
    games = read_games(o.data, o.games)
    for game in games:
        habits = Habits(rng, [], english=1.0)
        if habits.form == "descriptive":
            continue
        for text in spelled_game(game.split(), habits, rng) + [RESULTS[int(rng.integers(3))]]:
            count(counts, normalise(text), 1)
    real = Pack(o.cells, lambda r: not held_out(r["set"], r["game"]) and r["colour"] != "number")
    for row in real.rows:
        count(counts, normalise(row["text"]), o.weight)
    lines = 0
    with open(o.out, "w", encoding="utf-8") as f:
        for context, after in sorted(counts.items()):
            kept = [(sign, n) for sign, n in sorted(after.items()) if n >= o.least]
            if kept:
                f.write(context + "\t" + " ".join(f"{sign}{n}" for sign, n in kept) + "\n")
                lines += 1
    print(f"{len(games)} games, {len(real)} real cells, {lines} contexts")


if __name__ == "__main__":
    main()
