"""Turns the web fonts of `@fontsource/*` packages into TrueType files for synthesis.

    npm install --prefix FONTS $(python fonts.py --list)
    python fonts.py FONTS          -> FONTS/ttf/*.ttf, FONTS/ttf/more/*.ttf

All are handwriting families under the SIL Open Font License.  Those in `more` are for training only; of the others one in
six is held out.  Cyrillic and Greek letters of a family stand in files of their own, NAME.cyrillic.ttf and NAME.greek.ttf.
"""
import os
import sys

from fontTools.ttLib import TTFont

FAMILIES = """architects-daughter caveat cedarville-cursive covered-by-your-grace dawning-of-a-new-day gaegu gloria-hallelujah
homemade-apple indie-flower just-another-hand kalam la-belle-aurore nanum-pen-script nothing-you-could-do over-the-rainbow
patrick-hand reenie-beanie rock-salt shadows-into-light sue-ellen-francisco waiting-for-the-sunrise zeyada""".split()
MORE = """annie-use-your-telescope bad-script balsamiq-sans beth-ellen caveat-brush chilanka comic-neue comic-relief coming-soon
courgette crafty-girls damion dancing-script dekko delicious-handrawn delius edu-nsw-act-foundation edu-qld-beginner
edu-sa-beginner edu-tas-beginner edu-vic-wa-nt-beginner finger-paint fuzzy-bubbles gamja-flower give-you-glory gochi-hand
grape-nuts handlee hi-melody itim just-me-again-down-here kaushan-script klee-one kristi licorice liu-jian-mao-cao long-cang
loved-by-the-king ma-shan-zheng mali mansalva marck-script mynerve nanum-brush-script nerko-one neucha oooh-baby pangolin
playpen-sans playwrite-cz playwrite-de-grund playwrite-es playwrite-fr-moderne playwrite-hu playwrite-it-moderna
playwrite-nl playwrite-pl playwrite-pt playwrite-us-modern poor-story rancho redressed ruthie sacramento satisfy schoolbell
sedgwick-ave shantell-sans short-stack single-day sriracha sunshiney swanky-and-moo-moo the-girl-next-door vibur
vujahday-script yellowtail yomogi yusei-magic zen-kurenaido zhi-mang-xing""".split()
ALPHABETS = {"latin": "", "cyrillic": ".cyrillic", "greek": ".greek"}


def main():
    if sys.argv[1:] == ["--list"]:
        print(" ".join("@fontsource/" + f for f in FAMILIES + MORE))
        return
    root = sys.argv[1]
    for families, folder in ((FAMILIES, "ttf"), (MORE, "ttf/more")):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
        for family in families:
            for alphabet, ending in ALPHABETS.items():
                path = os.path.join(root, "node_modules/@fontsource", family, "files", f"{family}-{alphabet}-400-normal.woff2")
                if alphabet == "latin" or folder == "ttf/more" and os.path.exists(path):
                    font = TTFont(path)
                    font.flavor = None
                    font.save(os.path.join(root, folder, family + ending + ".ttf"))


if __name__ == "__main__":
    main()
