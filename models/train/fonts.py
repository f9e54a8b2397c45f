"""Turns the web fonts of `@fontsource/*` packages into TrueType files for synthesis.

    npm install --prefix FONTS $(python fonts.py --list)
    python fonts.py FONTS          -> FONTS/ttf/*.ttf

All are handwriting families under the SIL Open Font License.
"""
import glob
import os
import sys

from fontTools.ttLib import TTFont

FAMILIES = """architects-daughter caveat cedarville-cursive covered-by-your-grace dawning-of-a-new-day gaegu gloria-hallelujah
homemade-apple indie-flower just-another-hand kalam la-belle-aurore nanum-pen-script nothing-you-could-do over-the-rainbow
patrick-hand reenie-beanie rock-salt shadows-into-light sue-ellen-francisco waiting-for-the-sunrise zeyada""".split()


def main():
    if sys.argv[1:] == ["--list"]:
        print(" ".join("@fontsource/" + f for f in FAMILIES))
        return
    root = sys.argv[1]
    os.makedirs(os.path.join(root, "ttf"), exist_ok=True)
    for family in FAMILIES:
        found = glob.glob(os.path.join(root, "node_modules/@fontsource", family, "files", f"{family}-latin-400-normal.woff2"))
        font = TTFont(found[0])
        font.flavor = None
        font.save(os.path.join(root, "ttf", family + ".ttf"))


if __name__ == "__main__":
    main()
