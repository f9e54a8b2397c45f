"""One filled sheet: a game, a writer, a form and a camera become a photo with its truth.

`random_sheet(rng)` gives (picture, truth) for any number of random sheets; truth is a dict that json can write.
"""
import os
from dataclasses import dataclass, field

import chess
import numpy as np

from forms import Faces, print_form, random_form, rare
from pen import Pen, handwriting, random_manner
from photo import photograph, random_shot
from moves import ENGLISH, Habits, piece_letters, read_games, spelled_game

FIRST = "Adam Bruno Carla Dario Edith Felix Greta Hugo Irma Jonas Karin Leon Marta Nils Olga Paula Rosa Simon Tilda Viktor".split()
LAST = ("Abel Brandt Castell Dorn Eklund Ferrer Gallo Hartwig Ivers Jansen Keller Lorenz Morel Novak Ortega Pfister Quint "
        "Rossi Sander Tamm Ulrich Vidal Weller Zander").split()
PLACES = ["Lindental", "Valmont", "Robledal", "Northfield", "Riverside", "Sandvik", "Altmark", "Port Amber"]


class Studio:
    """What all sheets share, loaded once: games, glyphs, fonts, piece letters."""

    def __init__(self, data="../shared/data", hands=None, print_fonts=None, games=20_000, held_out=False):
        """With `held_out`, by hands and in fonts that the recogniser was never trained on."""
        self.games = read_games(data, games)
        self.glyphs = handwriting.Glyphs(data, hands, held_out)
        self.hands = [os.path.splitext(os.path.basename(f.path))[0] for f in self.glyphs.fonts]
        self.letters = dict(piece_letters(data), en=ENGLISH)
        self.languages = [(k, v) for k, v in self.letters.items() if k != "en"]
        self.faces = Faces(print_fonts)

    def game(self, rng, least=10, most=80, result=None, wanted=()):
        """A game of `least` to `most` full moves: (moves in SAN, result)."""
        while True:
            sans = self.games[int(rng.integers(len(self.games)))].split()
            if not least <= (len(sans) + 1) // 2 <= most or not all(any(w in s for s in sans) for w in wanted):
                continue
            board = replay(sans)
            if board is None:
                continue
            ended = board.result(claim_draw=False)
            if ended == "*":
                ended = str(rng.choice(["1-0", "0-1", "1/2-1/2"])) if not board.is_check() else ("0-1" if board.turn else "1-0")
            if result in (None, ended):
                return sans, ended

    def writer(self, rng, kind=None, font=None, person=None):
        """A hand; `kind` is "strokes", "mixed" or "font", `font` a family's name, `person` whose strokes (0 to 54)."""
        writer = handwriting.Writer(self.glyphs, rng)
        writer.gap = max(writer.gap, .12)                          # closer, and c1 becomes a d
        if kind:
            writer.kind = kind
        if font:
            writer.kind, writer.font = "font", self.hands.index(font)
        if person is not None:
            writer.kind, writer.person, writer.loyalty = "strokes", person, 1.0
        return writer

    def habits(self, rng, language=None, **fixed):
        habits = Habits(rng, self.languages)
        if language:
            habits.language, habits.letters = language, self.letters[language]
        for name, value in fixed.items():
            setattr(habits, name, value)
        return habits


def replay(sans):
    """The position after the moves, or None where one is illegal."""
    board = chess.Board()
    try:
        for san in sans:
            board.push_san(san)
    except ValueError:
        return None
    return board


def names(rng):
    """Header of a made-up game."""
    people = [f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(2)]
    return {"Event": f"{rng.choice(PLACES)} Open", "Site": str(rng.choice(PLACES)), "White": people[0], "Black": people[1],
            "Date": f"{int(rng.integers(2015, 2026))}.{int(rng.integers(1, 13)):02}.{int(rng.integers(1, 29)):02}",
            "Round": str(int(rng.integers(1, 10))), "board": str(int(rng.integers(1, 40))),
            "ratings": [str(int(rng.integers(1100, 2300))) for _ in range(2)]}


@dataclass
class Notes:
    """What one player puts on paper: ply -> text, ply -> (first wrong text, how it was put right), and ply -> time before it."""
    texts: dict
    wrong: dict = field(default_factory=dict)
    times: dict = field(default_factory=dict)

    @classmethod
    def of(cls, sans, habits, rng):
        return cls({i: t for i, t in enumerate(spelled_game(sans, habits, rng))})


def clock_times(plies, rng):
    """Times left that a player notes before the moves: hours and minutes or minutes alone, a stroke where none has passed."""
    hours, stroke, often = rng.random() < .5, rng.random() < .6, rng.choice([.3, .9, 1.0])
    left, times = [int(rng.integers(70, 121)) for _ in range(2)], {}
    for ply in range(plies):
        spent = int(rng.exponential(110 / max(plies, 40)))
        left[ply % 2] = max(1, left[ply % 2] - spent)
        if rng.random() < often:
            minutes = left[ply % 2]
            times[ply] = "-" if stroke and not spent else f"{minutes // 60}:{minutes % 60:02}" if hours else str(minutes)
    return times


def fill(printed, notes, header, result, writer, manner, rng, last=True):
    """Writes on a printed form (an empty `header` leaves the fields blank): the page (RGB 0..1), {(number, colour): written}."""
    pen = Pen(writer, manner, printed, rng)
    if header:
        year, month, day = header["Date"].split(".")
        for name, text in (("event", header["Event"]), ("date", f"{day}.{month}.{year[2:]}"), ("round", header["Round"]),
                           ("board", header["board"]), ("white", header["White"]), ("black", header["Black"]),
                           ("white rating", header["ratings"][0]), ("black rating", header["ratings"][1])):
            pen.field(name, text)
    written, final = {}, None
    for ply, text in sorted(notes.texts.items()):
        key = ply // 2 + 1, ("white", "black")[ply % 2]
        if key in printed.cells and text:
            pen.move(key, text, *notes.wrong.get(ply, ()), time=notes.times.get(ply, ""))
            written[key] = text
            final = key
    if last and final:
        pen.result(result)
        if rng.random() < .4:
            pen.closing(final)
    return pen.page(), written


def truth_of(printed, written, geometry, picture, header, sans, result):
    """Everything known about a photo; quads run clockwise from the upper left corner of the page, in pixels of the picture."""
    def quad(x0, y0, x1, y1):
        return np.round(geometry.to_photo([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]), 1).tolist()
    h, w = printed.picture.shape[:2]
    return {"width": picture.shape[1], "height": picture.shape[0], "sheet": quad(0, 0, w, h), "table": quad(*printed.table),
            "homography": geometry.homography.tolist(), "moves": sans, "result": result,
            "headers": {k: header[k] for k in ("Event", "Site", "Date", "Round", "White", "Black")}, "form": vars(printed.form),
            "cells": [{"number": n, "colour": c, "quad": quad(printed.starts[n, c], *printed.cells[n, c][1:]), "written": written.get((n, c), "")}
                      for n, c in printed.cells]}


def random_sheet(rng, studio, strength=10.0, roll=None, language=None, timed=False, odd=False):
    """A random form filled in by a random writer and photographed with at most `strength` degrees of tilt and
    `roll` degrees of rotation (see `random_shot`): (picture, truth).  `language`: written in that one, 20 moves or more.
    `timed`: with clock times before the moves.  `odd`: on a form as hardly any club has.

    `truth["jpeg"]` holds the encoded photo."""
    form = random_form(rng)
    if odd:
        form = rare(rng.spawn(1)[0], form)
    sans, result = studio.game(rng, 20 if language else 8, max(30, min(90, form.pairs * form.rows)))
    habits = studio.habits(rng, language or (form.language if rng.random() < .8 else None), **dict(form="short") if language else {})
    notes = Notes.of(sans, habits, rng)
    for ply in notes.texts:
        if rng.random() < .012:
            other = notes.texts[int(rng.integers(len(sans)))]
            notes.wrong[ply] = other, str(rng.choice(["line", "scribble", "over"], p=[.35, .5, .15]))
    if timed:
        notes.times = clock_times(len(sans), rng)
    header = names(rng)
    printed = print_form(form, studio.faces)
    page, written = fill(printed, notes, header, result, studio.writer(rng), random_manner(rng), rng)
    picture, data, geometry = photograph(page, random_shot(rng, strength, roll), rng)
    return picture, truth_of(printed, written, geometry, picture, header, sans, result) | {"written_in": habits.language, "jpeg": data}
