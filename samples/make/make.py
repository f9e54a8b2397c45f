"""Makes the samples: photos of filled scoresheets with the game played and the text written, and pictures to be refused.

    python make.py [--out ..] [--data ../shared/data] [--hands DIR] [--print DIR] [--only NAME ...] [--random N [--strength 10] [--roll 15] [--held-out]]

--hands: folder of handwriting fonts (.ttf), see models/train/fonts.py; --print: folder in which
`npm install --prefix DIR @fontsource/lato @fontsource/open-sans @fontsource/oswald @fontsource/pt-serif` was run.
--random writes N random sheets with their truth (.json: every cell's quad) instead, as a data set: a test bench of any size.
Every sheet has its own seed, so that one can be made again alone.
"""
import argparse
import csv
import os
import zlib

import chess
import chess.pgn
import cv2
import numpy as np

import notebook as notebook_pages
import other
from bench import write_json, write_set
from forms import WORDS, Form, print_form
from pen import Manner
from photo import Shot, photograph
from sheet import Notes, Studio, fill, names, random_sheet, replay, truth_of

ENGLISH = dict(language="en", form="short", remarks=0, passing=False, promotion="=Q", mate="#", capture="x", check="+", pawn="exd5", careless=0)
BRIEF = ENGLISH | dict(capture="", check="", pawn="ed", promotion="Q")
SCAN = Shot(scan=True, tilt=0, roll=.4, curl=0, gradient=.02, vignette=0, warmth=0, blur=.5, noise=.006, height=2300)


def english_scan(make):
    """A clean flat scan: two column pairs of 30 rows, blue ballpoint."""
    make.sheet(Form(title="OFFICIAL SCORESHEET", band="grey", shaded_numbers=True, fields="boxed"), SCAN, Manner("blue", .58), ENGLISH,
               game=dict(least=38, most=46, wanted=("O-O",)), person=9)


def english_shadow(make):
    """A short game photographed flat, with the shadow of a hand."""
    make.sheet(Form(title="Riverside Chess League", rows=25, family="pt-serif", paper="letter", band="plain", result="words"),
               Shot(tilt=3, roll=-1.2, curl=.002, shadow=.42, gradient=.22, table="dark", noise=.014), Manner("black", .55, indent=.9), ENGLISH,
               game=dict(least=18, most=24), font="patrick-hand")


def long_game(make):
    """A long game over both column pairs of 40 rows."""
    make.sheet(Form(title="GAME RECORD", rows=40, family="open-sans", band="dark", line=2, light=.3), Shot(height=2400, tilt=4, curl=.003, table="pale"),
               Manner("blue", .7, rise=.18, indent=.35), ENGLISH, game=dict(least=64, most=74), person=44)


def two_pages(make):
    """A game of more than 40 moves on two pages: the second is printed from 41 on."""
    form = dict(title="Northfield Open", rows=20, family="lato", paper="a5", band="grey", numbers="column", result="words")
    make.sheet([Form(**form), Form(**form | dict(first=41, title="Northfield Open (2)"))],
               [Shot(tilt=4, roll=.8, table="wood", gradient=.2), Shot(tilt=5, roll=-1.5, table="wood", gradient=.25)],
               Manner("navy", .55, rise=.22), ENGLISH, game=dict(least=56, most=70), font="kalam")


def both_players(make):
    """White's and Black's sheets of one game.  White wrote one wrong square; Black left one move out of its cell."""
    rng = make.rng
    sans, result = make.studio.game(rng, 34, 44, wanted=("O-O",))
    header, board, slips = names(rng), chess.Board(), []
    for ply, san in enumerate(sans):                               # a quiet piece move whose wrong square is illegal too
        if 14 <= ply <= 40 and len(san) == 3 and san[0] in "NBRQ":
            for rank in "12345678":
                if rank != san[2] and illegal(board, san[:2] + rank):
                    slips.append((ply, san[:2] + rank))
        board.push_san(san)
    ply, slip = slips[int(rng.integers(len(slips)))]
    left_out = int(rng.integers(ply + 8, len(sans) - 6))
    for side, habits, form, shot, manner, hand in (
            ("white", ENGLISH, Form(title="SCORE SHEET", rows=30, shaded_numbers=True, band="plain", paper="a5"),
             Shot(tilt=5, roll=1.0, table="wood", gradient=.18), Manner("blue", .6, indent=.6), dict(person=37)),
            ("black", BRIEF, Form(title="SCORE SHEET", rows=30, shaded_numbers=True, band="plain", paper="a5", paper_colour=(250, 244, 214)),
             Shot(tilt=6, roll=-2.0, table="wood", gradient=.25, warmth=.05), Manner("black", .66, indent=.35, rise=.12), dict(font="caveat"))):
        notes = Notes.of(sans, make.studio.habits(rng, **habits), rng)
        if side == "white":
            notes.texts[ply] = slip
        else:
            notes.texts[left_out] = ""
        make.page(f"{make.name}-{side}", form, notes, header, result, make.studio.writer(rng, **hand), manner, shot)
    make.truth(sans, header, result)


def illegal(board, san):
    try:
        board.parse_san(san)
    except chess.AmbiguousMoveError:
        return False
    except ValueError:
        return True
    return False


def german(make):
    """German letters on a German form, captures and checks mostly left out."""
    make.sheet(Form(language="de", title="Schachverein Lindental 1921", rows=30, family="pt-serif", paper="a5", band="grey", result="words"),
               Shot(tilt=4, roll=1.5, table="pale", gradient=.25, warmth=.05), Manner("blue", .62, indent=.7), BRIEF | dict(language="de", check="+"),
               game=dict(least=30, most=44, wanted=("N", "R", "Q")), person=2)


def french(make):
    """French letters on a French form, small hand."""
    make.sheet(Form(language="fr", title="Échiquier de Valmont", rows=35, family="lato", band="plain", gutter=.025, result="boxes", fields="boxed", emblem=False),
               Shot(tilt=5, roll=-1.0, table="cloth", gradient=.12), Manner("black", .6, indent=1.1, wander=.05), ENGLISH | dict(language="fr"),
               game=dict(least=32, most=50, wanted=("N", "R", "B")), font="shadows-into-light")


def spanish(make):
    """Spanish letters, three narrow column pairs, folded paper."""
    make.sheet(Form(language="es", title="Abierto Villa de Robledal", pairs=3, rows=20, family="oswald", paper="narrow", band="dark", fields="boxed"),
               Shot(tilt=6, roll=2.0, curl=.006, table="cloth", crease=.7, gradient=.2, height=2300), Manner("blue", .46, indent=.2, rise=.24),
               ENGLISH | dict(language="es"), game=dict(least=30, most=52, wanted=("N", "R", "B")), person=19)


def corrections(make):
    """Crossings-out, corrections and overwritten moves."""
    def spoil(notes, rng):
        plies = rng.choice(np.arange(4, len(notes.texts) - 2), 8, replace=False)
        for i, ply in enumerate(sorted(int(p) for p in plies)):
            nearby = [t for p, t in notes.texts.items() if 0 < abs(p - ply) < 8 and t != notes.texts[ply] and not t.startswith("O")]
            notes.wrong[ply] = str(rng.choice(nearby)), ("scribble", "line", "over", "scribble")[i % 4]
    make.sheet(Form(title="SCORE SHEET", rows=30, family="open-sans", band="grey", light=.4), Shot(tilt=4, roll=.6, table="wood", gradient=.15),
               Manner("blue", .6, indent=.5), ENGLISH, game=dict(least=34, most=46), person=14, spoil=spoil)


def sideways(make):
    """A photo that lies on its side, with no orientation noted in the file."""
    make.sheet(Form(title="GAME RECORD", rows=30, family="lato", band="grey", shaded_numbers=True), Shot(tilt=5, roll=1.0, turn=1, table="dark", gradient=.2),
               Manner("black", .6, indent=.6), ENGLISH, game=dict(least=30, most=50), font="nothing-you-could-do")


def table_perspective(make):
    """Seen across the table: a tilt of ten degrees, curled paper."""
    make.sheet(Form(title="OFFICIAL SCORESHEET", rows=30, family="oswald", band="dark", heavy_every=5), Shot(tilt=10, roll=3.5, curl=.007, table="wood", gradient=.3, margin=.07, vignette=.2),
               Manner("blue", .68, rise=.14), BRIEF, game=dict(least=30, most=48), person=36)


def pencil_inside(make):
    """Pencil; the move numbers are printed inside White's column."""
    make.sheet(Form(title="SCORE SHEET", rows=30, family="pt-serif", paper="a5", numbers="inside", shaded_numbers=True, band="dark", paper_colour=(244, 243, 220)),
               Shot(tilt=5, roll=-1.5, curl=.006, table="pale", crease=.8, gradient=.25, warmth=.04), Manner("pencil", .72, indent=.4, rise=.08, wander=.09),
               ENGLISH | dict(check=""), game=dict(least=28, most=50), person=41)


def keep(make, shot, **how):
    """A game kept on paper that is no form."""
    truth = notebook_pages.kept(make.rng, make.studio, shot=shot, **how)
    make.write(make.name + ".jpg", truth.pop("jpeg"))
    make.written = [(make.name + ".jpg", cell["number"], cell["colour"], cell["written"]) for cell in truth["cells"] if cell["written"]]
    if make.geometry:
        write_json(os.path.join(make.geometry, make.name + ".json"), truth)
    make.truth(truth["moves"], truth["headers"], truth["result"])


def notebook(make):
    """A game kept on squared paper, its numbers written by hand like the moves."""
    keep(make, Shot(tilt=5, roll=1.5, curl=.005, table="wood", gradient=.05, shadow=.2), kind="squared", languages=["de"], font="patrick-hand")


def running_text(make):
    """A game whose moves run on in lines like words, on lined paper."""
    keep(make, Shot(tilt=6, roll=-1, curl=.004, table="pale", gradient=.1), kind="lined", languages=["en"], font="kalam", running=True)


SHEETS = [english_scan, english_shadow, long_game, two_pages, both_players, german, french, spanish, corrections, sideways,
          table_perspective, pencil_inside, notebook, running_text]


class Maker:
    """Makes one sample: draws, photographs and writes its files."""

    def __init__(self, name, studio, out, geometry=None):
        self.name, self.studio, self.out, self.geometry, self.written = name, studio, out, geometry, []
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))

    def sheet(self, forms, shots, manner, habits, game, spoil=None, **hand):
        """A whole game by one writer, on one page or several."""
        rng, studio = self.rng, self.studio
        forms, shots = (forms, shots) if isinstance(forms, list) else ([forms], [shots])
        sans, result = studio.game(rng, **game)
        header, writer = names(rng), studio.writer(rng, **hand)
        notes = Notes.of(sans, studio.habits(rng, **habits), rng)
        if spoil:
            spoil(notes, rng)
        for i, (form, shot) in enumerate(zip(forms, shots)):
            page = f"{self.name}-{i + 1}" if len(forms) > 1 else self.name
            self.page(page, form, notes, header, result, writer, manner, shot, last=i + 1 == len(forms))
        self.truth(sans, header, result)

    def page(self, name, form, notes, header, result, writer, manner, shot, last=True):
        printed = print_form(form, self.studio.faces)
        page, written = fill(printed, notes, header, result, writer, manner, self.rng, last)
        picture, data, geometry = photograph(page, shot, self.rng)
        self.write(name + ".jpg", data)
        if self.geometry:
            write_json(os.path.join(self.geometry, name + ".json"), truth_of(printed, written, geometry, picture, header, [], result))
        self.written += [(name + ".jpg", n, c, text) for (n, c), text in written.items()]

    def truth(self, sans, header, result):
        """NAME.pgn and NAME.written.csv."""
        game = chess.pgn.Game.from_board(replay(sans))
        game.headers.update({k: header[k] for k in ("Event", "Site", "Date", "Round", "White", "Black")} | {"Result": result})
        self.write(self.name + ".pgn", (str(game) + "\n").encode())
        path = os.path.join(self.out, self.name + ".written.csv")
        with open(path, "w", newline="", encoding="utf-8") as f:
            csv.writer(f, lineterminator="\n").writerows([("page", "number", "colour", "written"), *self.written])

    def write(self, name, data):
        with open(os.path.join(self.out, name), "wb") as f:
            f.write(data)


def make_bad(studio, out):
    """Files that must be refused."""
    make = Maker("bad", studio, out)
    rng = make.rng
    make.write("notes.jpg", other.NOTES.encode())
    make.write("enormous.png", other.enormous_png())
    encode = lambda p, q: cv2.imencode(".jpg", p[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, q])[1].tobytes()  # noqa: E731
    make.write("landscape.jpg", encode(other.landscape(rng), 80))
    sans, result = studio.game(rng, 30, 44)
    header, form = names(rng), Form(title=WORDS["en"]["titles"][2], band="grey", shaded_numbers=True)
    manner, shot = Manner("blue"), Shot(tilt=4, table="wood", gradient=.2, bytes=300_000)
    page, _ = fill(print_form(form, studio.faces), Notes({}), {}, "*", studio.writer(rng), manner, rng, last=False)
    make.write("blank-form.jpg", photograph(page, shot, rng)[1])
    notes = Notes.of(sans, studio.habits(rng, **ENGLISH), rng)
    page, _ = fill(print_form(form, studio.faces), notes, header, result, studio.writer(rng, person=17), manner, rng)
    picture, _, _ = photograph(page, shot, rng)
    make.write("half-sheet.jpg", encode(picture[:, int(picture.shape[1] * .42):], 80))
    make.write("tiny.jpg", encode(cv2.resize(picture, (120, 160), interpolation=cv2.INTER_AREA), 80))


def make_random(studio, numbers, strength, roll, in_turn, timed=False, odd=False):
    """Random sheets, one for each number: (name, truth)."""
    languages = sorted(studio.letters)
    for i in numbers:
        language = languages[i % len(languages)] if in_turn else None
        yield f"{i:05}", random_sheet(np.random.default_rng(i), studio, strength, roll, language, timed, odd)[1]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--out", default=os.path.join(here, "..")), a.add_argument("--data", default="../shared/data")
    a.add_argument("--hands"), a.add_argument("--print", dest="print_fonts"), a.add_argument("--only", nargs="+", default=[])
    a.add_argument("--geometry", help="folder for every cell's quad, NAME.json")
    a.add_argument("--random", type=int, default=0), a.add_argument("--strength", type=float, default=10.0)
    a.add_argument("--first", type=int, default=0, help="number of the first random sheet: each has its own seed")
    a.add_argument("--held-out", action="store_true", help="random sheets by hands and in fonts that were never trained on")
    a.add_argument("--languages", action="store_true", help="random sheets in one language after the other, by such hands")
    a.add_argument("--times", action="store_true", help="random sheets with clock times before the moves")
    a.add_argument("--rare", action="store_true", help="random sheets on forms as hardly any club has")
    a.add_argument("--roll", type=float, help="degrees by which the sheet is turned at most; by eye, within a few degrees, if left out")
    o = a.parse_args()
    cv2.setNumThreads(1)
    studio = Studio(o.data, o.hands, o.print_fonts, held_out=o.held_out or o.languages)
    if o.random:
        return write_set(o.out, make_random(studio, range(o.first, o.first + o.random), o.strength, o.roll, o.languages, o.times, o.rare))
    for folder in (os.path.join(o.out, "bad"), o.geometry or o.out):
        os.makedirs(folder, exist_ok=True)
    for draw in SHEETS:
        name = draw.__name__.replace("_", "-")
        if not o.only or name in o.only:
            draw(Maker(name, studio, o.out, o.geometry))
    if not o.only or "bad" in o.only:
        make_bad(studio, os.path.join(o.out, "bad"))


if __name__ == "__main__":
    main()
