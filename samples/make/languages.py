"""How well the program reads sheets in many languages: the language found, moves right, clear moves that are wrong.

    python languages.py PROGRAM PHOTOS

Runs `PROGRAM read --json` on every photo in the folder PHOTOS that make.py wrote with --random and --languages.  A
language counts as found if the program names one with the same piece letters.
"""
import collections
import glob
import json
import os
import subprocess
import sys


def read(program, photo):
    """The program's answer, or the sentence with which it refuses."""
    run = subprocess.run([program, "read", "--json", photo], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return (run.stderr.strip().splitlines() or ["no output"])[-1]


SAME = {"ca": "es", "it": "es", "sr-Cyrl": "sr"}                   # the program's name for the same letters


def judge(plies, moves):
    """(moves of the game that stand at their place in the answer, clear moves that are wrong, moves that are not clear)"""
    found = {(p["number"], p["colour"]): p for p in plies if p["san"]}
    right = wrong = open_ = 0
    for i, move in enumerate(moves):
        ply = found.get((i // 2 + 1, ("white", "black")[i % 2]))
        good = bool(ply) and ply["san"].rstrip("+#") == move.rstrip("+#")
        clear = bool(ply) and ply["status"] == "clear"
        right, wrong, open_ = right + good, wrong + (clear and not good), open_ + (not clear)
    return right, wrong, open_


def main():
    program, photos = sys.argv[1:3]
    sums = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(photos, "*.json"))):
        with open(path, encoding="utf-8") as f:
            truth = json.load(f)
        # what the form has no room for is not asked
        moves = truth["moves"][:sum(bool(cell["written"]) for cell in truth["cells"])]
        language, answer = truth["written_in"], read(program, path[:-5] + ".jpg")
        if isinstance(answer, str):
            found, counts = answer, (0, 0, len(moves))
        else:
            found, counts = answer["sheets"][0]["language"], judge(answer["plies"], moves)
        sums[language].append((found == SAME.get(language, language), *counts, len(moves)))
        print(f"{os.path.basename(path)[:-5]} {language}: {found}, {counts[0]} of {len(moves)} moves, {counts[1]} clear and wrong", flush=True)
    for language, sheets in sorted(sums.items()) + [("all", [s for v in sums.values() for s in v])]:
        found, right, wrong, open_, total = map(sum, zip(*sheets))
        print(f"{language:12} {len(sheets):4} sheets, language found on {found:4}, mra {right / total:.3f}, "
              f"interruption {open_ / total:.3f}, clear and wrong {1000 * wrong / total:.1f} in 1000")


if __name__ == "__main__":
    main()
