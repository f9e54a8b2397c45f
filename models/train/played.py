"""Games of a set of sheets as the move prior's trainer reads them, each up to the first move that is not trusted.

    python played.py DATASET/played.csv validation|others > GAMES.tsv

The validation games are those whose number divides by 6.
"""

import csv
import sys
from collections import defaultdict

LEAST = 10  # plies


def main(path: str, part: str) -> None:
    games: dict[str, list[tuple[int, str, bool]]] = defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            games[row["game"]].append((int(row["ply"]), row["san"], row["trusted"] == "1"))
    print("white_elo", "black_elo", "moves", sep="\t")
    for number, plies in games.items():
        plies.sort()
        trusted = next((i for i, ply in enumerate(plies) if not ply[2]), len(plies))
        held_out = int(number) % 6 == 0
        if held_out == (part == "validation") and plies[0][0] == 1 and trusted >= LEAST:
            print("", "", " ".join(san for _, san, _ in plies[:trusted]), sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("validation", "others"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
