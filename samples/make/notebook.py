"""Games kept on paper that is no form: a lined, squared or plain page, its numbers written by hand like the moves.

    python notebook.py --out DIR --count 24 [--first 0] [--strength 10] [--ragged | --running] [--data ../../../shared/data] [--hands DIR]

--ragged: Black's moves follow White's, in no column of their own. --running: moves run on in lines like words. Sheet number n has seed n; DIR is a data set as `make.py --random` writes it.
"""
import numpy as np

from bench import bench
from forms import PAGE_HEIGHT, Form, Printed
from pen import Pen, random_manner
from photo import photograph, random_shot
from sheet import Notes, names, truth_of


def page(rng, kind=None):
    """Blank paper of a kind, and the height of the rows that one writes on it."""
    kind, h = kind or str(rng.choice(["lined", "squared", "plain"])), PAGE_HEIGHT
    w = int(h * rng.uniform(.68, .76))
    paper = rng.choice([(252, 251, 247), (250, 246, 230), (244, 247, 250)])
    picture = np.ones((h, w, 3), np.float32) * paper
    rows = int(rng.integers(24, 34))
    pitch = h * .82 / rows
    colour = np.float32(rng.choice([(150, 170, 205), (165, 165, 170), (130, 180, 190)]))
    step = {"lined": pitch, "squared": pitch / int(rng.choice([1, 2])), "plain": 0}[kind]
    top, thick = h * .13, int(rng.integers(1, 4))
    if step:
        for y in np.arange(top % step, h, step):
            picture[int(y):int(y) + thick] = colour
        for x in np.arange(rng.uniform(0, step), w, step) if kind == "squared" else []:
            picture[:, int(x):int(x) + thick] = colour
        if kind == "lined" and rng.random() < .5:
            margin = int(w * rng.uniform(.08, .12))
            picture[:, margin:margin + thick] = 215, 120, 120
    return picture.astype(np.uint8), kind, rows, pitch, top


def run_on(pen, notes, end, rng, left, right, lines):
    """Writes moves behind each other, in lines whose upper edges are given, as many as there is room for; gives the texts written."""
    printed, pitch = pen.printed, pen.printed.pitch
    pen.manner.indent = 0
    close, comma = rng.random() < .35, "," if rng.random() < .15 else ""
    written, line, x = {}, 0, left
    printed.cells, printed.starts = {}, {}
    for ply, text in sorted(notes.texts.items()):
        n, colour = ply // 2 + 1, ("white", "black")[ply % 2]
        pieces = [(n, f"{n}{end}")] if colour == "white" else []
        pieces.append(((n, colour), text + (comma if colour == "white" else "")))
        wide = [pitch * pen.manner.size * 1.05 * pen.writer.layout(piece)[1] for _, piece in pieces]
        if x + sum(wide) > right:
            line, x = line + 1, left + pitch * rng.uniform(-.2, .2)
            if line == len(lines):
                break
        for (key, piece), room in zip(pieces, wide):
            printed.starts[key] = x
            printed.cells[key] = x, lines[line], x + room + .3 * pitch, lines[line] + pitch
            gap = rng.uniform(.02, .12) if close and key == n else rng.uniform(.3, .6) if key == n else rng.uniform(.5, .9)
            x = pen.move(key, piece) + pitch * gap
        written[n, colour] = text
    return written


def kept(rng, studio, strength=10.0, ragged=False, kind=None, shot=None, languages=None, font=None, running=False):
    """The truth of a page as of `random_sheet`."""
    picture, kind, rows, pitch, top = page(rng, kind)
    h, w = picture.shape[:2]
    pairs = int(rng.choice([1, 2], p=[.35, .65]))
    left, across = w * rng.uniform(.05, .13), w * (.8 if pairs == 2 else rng.uniform(.5, .75)) / pairs
    number, white = rng.uniform(.13, .18), rng.uniform(.38, .44)
    cells, places = {}, {}
    for n in range(1, pairs * rows + 1):
        x, y = left + (n - 1) // rows * across * 1.05, top + (n - 1) % rows * pitch
        xs = np.float32([0, number, number + white, .99]) * across + x
        places[n] = xs[0], y, xs[1], y + pitch
        cells[n, "white"], cells[n, "black"] = (xs[1], y, xs[2], y + pitch), (xs[2], y, xs[3], y + pitch)
    starts = {key: cell[0] for key, cell in cells.items()} | {n: place[0] for n, place in places.items()}
    printed = Printed(Form(language="en"), picture, cells | places, starts, table=(left, top, left + across * pairs * 1.05, top + rows * pitch),
                      pitch=pitch)
    sans, result = studio.game(rng, 10, min(70, len(places)))
    habits = studio.habits(rng, str(rng.choice(languages)) if languages else "en" if rng.random() < .5 else None)
    notes = Notes.of(sans, habits, rng)
    manner = random_manner(rng)
    manner.indent = min(manner.indent, .5)
    pen = Pen(studio.writer(rng, font=font), manner, printed, rng)
    header = names(rng)
    if rng.random() < .7:
        printed.fields["title"] = left, top - 1.2 * pitch, w * .9
        pen.field("title", f"{header['White']} - {header['Black']}", pitch * .6)
    end = str(rng.choice([".", "", ")"], p=[.6, .3, .1]))
    written, behind = {}, 0
    for ply, text in sorted(notes.texts.items()) if not running else []:
        key = ply // 2 + 1, ("white", "black")[ply % 2]
        if ply % 2 == 0:
            pen.move(key[0], f"{key[0]}{end}")
        elif ragged:
            _, y, right, foot = cells[key]
            printed.starts[key] = behind + pitch * rng.uniform(.5, .9)
            cells[key] = printed.cells[key] = printed.starts[key], y, right + .3 * across, foot
        behind = pen.move(key, text)
        written[key] = text
    if running:
        written = run_on(pen, notes, end or ".", rng, left, w * rng.uniform(.85, .95), [top + row * pitch for row in range(rows)])
        cells, sans = {key: cell for key, cell in printed.cells.items() if isinstance(key, tuple)}, sans[:len(written)]
    printed.cells, printed.starts = cells, {key: printed.starts[key] for key in cells}
    photo, jpeg, geometry = photograph(pen.page(), shot or random_shot(rng, strength), rng)
    truth = truth_of(printed, written, geometry, photo, header, sans, result)
    return truth | {"written_in": habits.language, "paper": kind, "jpeg": jpeg}


if __name__ == "__main__":
    bench(__doc__, 24, lambda rng, studio, o, _: kept(rng, studio, o.strength, o.ragged, running=o.running), ["--ragged", "--running"])
