"""How well the program reads sheets in many languages: the language found, and the moves.

    python languages.py PROGRAM PHOTOS

Runs `PROGRAM read --json` on every photo in the folder PHOTOS that make.py wrote with --random and --languages.  A
language counts as found if the program names one with the same letters for the pieces that the sheet names.
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


def right_moves(plies, moves):
    """Moves of the game that stand at their place in the answer."""
    found = {(p["number"], p["colour"]): p["san"] for p in plies if p["san"]}
    places = ((i // 2 + 1, ("white", "black")[i % 2]) for i in range(len(moves)))
    return sum(found.get(place, "").rstrip("+#") == move.rstrip("+#") for place, move in zip(places, moves))


def main():
    program, photos = sys.argv[1:3]
    sums = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(photos, "*.json"))):
        with open(path, encoding="utf-8") as f:
            truth = json.load(f)
        # what the form has no room for is not asked
        moves = truth["moves"][:sum(bool(cell["written"]) for cell in truth["cells"])]
        language, answer = truth["written_in"], read(program, path[:-5] + ".jpg")
        found, right = (answer, 0) if isinstance(answer, str) else (answer["sheets"][0]["language"], right_moves(answer["plies"], moves))
        sums[language].append((found == language, right, len(moves)))
        print(f"{os.path.basename(path)[:-5]} {language}: {found}, {right} of {len(moves)} moves", flush=True)
    for language, sheets in sorted(sums.items()) + [("all", [s for v in sums.values() for s in v])]:
        print(f"{language:12} {len(sheets):4} sheets, language found on {sum(s[0] for s in sheets):4}, "
              f"mra {sum(s[1] for s in sheets) / sum(s[2] for s in sheets):.3f}")


if __name__ == "__main__":
    main()
