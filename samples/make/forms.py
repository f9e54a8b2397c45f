"""Draws blank scoresheets: title, header fields, one to four pairs of columns, result line.

A form is described by `Form` (plain values, all of them drawn at random by `random_form`) and printed by `print_form`, which
gives the picture and where everything on it is.  Lengths are pixels of the page; a page is 2400 pixels high.
"""
import glob
import os
from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageDraw, ImageFont

PAGE_HEIGHT = 2400
PRINT_FAMILIES = ["lato", "open-sans", "oswald", "pt-serif"]        # npm packages @fontsource/NAME, SIL Open Font License
WIDE = {"wide": 297 / 210}                                          # drawn by `rare` only
PAPERS = {"a4": 210 / 297, "a5": 148 / 210, "letter": 216 / 279, "narrow": 140 / 240}

WORDS = {
    "en": dict(event="Event", date="Date", round="Round", board="Board", white="White", black="Black", rating="Rating",
               number="No.", result="Result", won=("White won", "Draw", "Black won"), sign="Signature",
               titles=["SCORE SHEET", "OFFICIAL SCORESHEET", "Riverside Chess League", "Northfield Open", "GAME RECORD"]),
    "de": dict(event="Turnier", date="Datum", round="Runde", board="Brett", white="Weiß", black="Schwarz", rating="DWZ",
               number="Nr.", result="Ergebnis", won=("1 : 0", "½ : ½", "0 : 1"), sign="Unterschrift",
               titles=["Partieformular", "Schachverein Lindental 1921", "PARTIENOTATION", "Stadtmeisterschaft"]),
    "fr": dict(event="Tournoi", date="Date", round="Ronde", board="Table", white="Blancs", black="Noirs", rating="Elo",
               number="N°", result="Résultat", won=("1 - 0", "½ - ½", "0 - 1"), sign="Signature",
               titles=["FEUILLE DE PARTIE", "Échiquier de Valmont", "Feuille de partie"]),
    "es": dict(event="Torneo", date="Fecha", round="Ronda", board="Mesa", white="Blancas", black="Negras", rating="Elo",
               number="N.º", result="Resultado", won=("1 - 0", "½ - ½", "0 - 1"), sign="Firma",
               titles=["PLANILLA DE JUEGO", "Abierto Villa de Robledal", "Club de Ajedrez La Torre"]),
}


@dataclass
class Form:
    """What the printer decides.  `numbers` is "column", "inside" (printed in White's cell) or "bare" (no line beside them)."""
    language: str = "en"
    title: str = "SCORE SHEET"
    family: str = "lato"
    paper: str = "a4"
    pairs: int = 2
    rows: int = 30
    first: int = 1
    numbers: str = "column"                 # in a "column", "between" White and Black, "inside" White's column or "bare": there, a gap left
    band: str = "grey"                      # header of the columns: "dark", "grey", "plain" or "" (none)
    shaded_numbers: bool = False
    zebra: bool = False
    gutter: float = 0.0                     # between pairs, share of the table's width
    line: int = 3                           # thickness of the thin lines
    frame: int = 5                          # thickness of the lines around a pair
    colour: tuple = (40, 40, 45)            # of lines and print
    light: float = 0.0                      # how far the inner lines fade towards the paper, 0 to 1
    rows_ruled: bool = True
    heavy_every: int = 0                    # a thicker line under every so many rows
    fields: str = "lined"                   # "lined" or "boxed"
    result: str = "boxes"                   # "boxes", "words" or "line" below the table, or "above" it
    emblem: bool = True
    margin: float = .07
    paper_colour: tuple = (252, 251, 247)
    rule: str = "solid"                     # rows ruled "solid", "dotted", or "under" White's and Black's moves apart
    uprights: bool = True                   # lines between the columns, and around them
    shaded_black: bool = False              # Black's columns are shaded
    clocks: float = 0.0                     # width of a column for the time beside each column of moves, share of a pair's
    padded: bool = False                    # numbers of three digits, zeros in front
    boxes: int = 0                          # for single characters, in every cell
    watermark: float = 0.0                  # how dark the club's badge shows behind the table
    diagram: bool = False                   # an empty board below the table
    remarks: float = 0.0                    # width of a column for remarks behind each pair, share of a pair's
    mirrored: bool = False                  # the numbers again behind Black's moves
    blocks: int = 0                         # rows in a block, with an empty strip behind each
    mark: str = ""                          # behind each number: "." or ")"


@dataclass
class Printed:
    """A printed form: the picture (RGB) and where things are."""
    form: Form
    picture: np.ndarray
    cells: dict = field(default_factory=dict)       # (number, "white" | "black") -> x0, y0, x1, y1
    starts: dict = field(default_factory=dict)      # the same keys -> x from which there is room to write
    fields: dict = field(default_factory=dict)      # name -> x0, base line, x1
    options: list = field(default_factory=list)     # the three results -> x0, y0, x1, y1
    table: tuple = (0, 0, 0, 0)
    pitch: float = 0.0


class Faces:
    """The printing fonts under FOLDER/node_modules/@fontsource; any font of Pillow's own where there are none."""

    def __init__(self, folder):
        self.files = {}
        for family in PRINT_FAMILIES:
            for weight in (400, 700):
                found = glob.glob(os.path.join(folder or "", "node_modules/@fontsource", family, "files", f"{family}-latin-{weight}-normal.woff2"))
                if found:
                    self.files[family, weight] = found[0]

    def get(self, family, size, bold=False):
        path = self.files.get((family, 700 if bold else 400))
        return ImageFont.truetype(path, int(size)) if path else ImageFont.load_default(int(size))


def random_form(rng, language=None):
    """Any plausible form."""
    u = rng.uniform
    language = language or str(rng.choice(["en", "de", "fr", "es"], p=[.55, .15, .15, .15]))
    pairs = int(rng.choice([1, 2, 3], p=[.12, .63, .25]))
    grey = int(u(10, 90))
    tint = (grey, grey, grey) if rng.random() < .7 else tuple(int(c) for c in rng.choice([(30, 60, 120), (20, 90, 60), (120, 40, 40)]))
    return unusual(rng.spawn(1)[0], Form(
        language=language, title=str(rng.choice(WORDS[language]["titles"])), family=str(rng.choice(PRINT_FAMILIES)),
        paper=str(rng.choice(list(PAPERS))), pairs=pairs, rows=int(rng.choice([20, 25, 30, 35, 40] if pairs > 1 else [30, 35, 40])),
        numbers=str(rng.choice(["column", "inside", "bare"], p=[.65, .2, .15])),
        band=str(rng.choice(["dark", "grey", "plain", ""], p=[.25, .35, .3, .1])), shaded_numbers=rng.random() < .35,
        zebra=rng.random() < .12, gutter=0.0 if rng.random() < .6 else u(.008, .04), line=int(rng.integers(1, 5)),
        frame=int(rng.integers(3, 8)), colour=tint, light=0.0 if rng.random() < .5 else u(.2, .7), rows_ruled=rng.random() < .95,
        heavy_every=int(rng.choice([0, 5, 10], p=[.8, .14, .06])), fields=str(rng.choice(["lined", "boxed"])),
        result=str(rng.choice(["boxes", "words", "line", "above"])), emblem=rng.random() < .6, margin=u(.04, .09),
        paper_colour=tuple(int(c) for c in rng.choice([(252, 251, 247), (250, 246, 226), (244, 246, 248), (240, 244, 228)]))))


def unusual(rng, form):
    """A third of the forms get what few forms have."""
    if rng.random() > 1 / 3:
        return form
    if rng.random() < .3:
        form.pairs, form.rows = int(rng.integers(3, 5)), int(rng.integers(15, 26))
    if rng.random() < .3:
        form.numbers = "between"
    elif rng.random() < .3:
        form.clocks = rng.uniform(.1, .16) if form.pairs < 3 else 0.0
    if rng.random() < .3:
        form.rule = "dotted"
    elif rng.random() < .5:
        form.rule, form.uprights, form.rows_ruled, form.heavy_every = "under", False, True, 0
        form.numbers, form.clocks, form.gutter = "column", 0.0, max(form.gutter, .02)
    form.shaded_black = rng.random() < (.6 if form.rule == "under" else .25)
    form.padded = rng.random() < .2
    return form


def rare(rng, form):
    """One or two things that hardly any club's form has."""
    form.pairs, form.rows, form.clocks = min(form.pairs, 3), min(form.rows, 30), 0.0
    for kind in rng.choice(["boxes", "watermark", "diagram", "remarks", "mirrored", "blocks", "mark", "wide"], int(rng.integers(1, 3)), False):
        if kind == "boxes":
            form.boxes, form.pairs, form.rule, form.uprights = int(rng.integers(5, 8)), min(form.pairs, 2), "solid", True
        elif kind == "watermark":
            form.watermark = rng.uniform(.06, .3)
        elif kind == "diagram":
            form.diagram, form.rows = True, min(form.rows, 25)
        elif kind == "remarks":
            form.remarks, form.pairs = rng.uniform(.2, .4), min(form.pairs, 2)
        elif kind == "mirrored":
            form.mirrored, form.numbers = True, "column"
        elif kind == "blocks":
            form.blocks = int(rng.choice([5, 10]))
        elif kind == "mark":
            form.mark = str(rng.choice([".", ")"]))
        else:
            form.paper, form.pairs, form.rows = "wide", int(rng.integers(3, 6)), int(rng.integers(15, 26))
    if form.pairs > 3:
        form.boxes = 0
    return form


def print_form(form, faces):
    """Prints a form: picture and geometry."""
    h = PAGE_HEIGHT
    w = int(h * (PAPERS | WIDE)[form.paper])
    picture = Image.new("RGB", (w, h), form.paper_colour)
    draw = ImageDraw.Draw(picture)
    out = Printed(form, None)
    x0, x1 = int(w * form.margin), int(w * (1 - form.margin))
    y = header(form, faces, draw, out, x0, x1, int(h * form.margin * .8))
    foot = int(h * (1 - form.margin * .6)) - 190 - (560 if form.diagram else 0)
    table(form, faces, draw, out, x0, x1, y + 40, foot)
    footer(form, faces, draw, out, x0, x1, out.table[3] + 35)
    if form.diagram:
        board(draw, (x0 + x1) / 2 - 240, out.table[3] + 200, 60, form.colour, faded(form, .6))
    out.picture = np.asarray(picture)
    return out


def faded(form, share):
    """The print colour, mixed with the paper."""
    return tuple(int(c + (p - c) * share) for c, p in zip(form.colour, form.paper_colour))


def header(form, faces, draw, out, x0, x1, y):
    """Title and fields; gives the y below them."""
    words, ink = WORDS[form.language], form.colour
    size = min(74, int((x1 - x0) * .055))
    left = x0
    if form.emblem:
        emblem(draw, x0, y, size * 2, ink, form.paper_colour)
        left += int(size * 2.6)
    title = faces.get(form.family, size, True)
    if form.emblem:
        draw.text((left, y + size * .35), form.title, font=title, fill=ink)
    else:
        draw.text(((x0 + x1) / 2, y + size * .35), form.title, font=title, fill=ink, anchor="mt")
    y += int(size * 2.3)
    label, height, span = faces.get(form.family, 30), 66, x1 - x0
    asked = [("result", .66, 1)] if form.result == "above" else []
    for row in ([("event", 0, .64), ("date", .66, 1)], [("round", 0, .31), ("board", .33, .64), *asked],
                [("white", 0, .76), ("white rating", .78, 1)], [("black", 0, .76), ("black rating", .78, 1)]):
        for name, a, b in row:
            text = words[name.split()[-1]] + ":"
            a, b = x0 + span * a, x0 + span * b
            base = y + height * .8
            draw.text((a + 8, base), text, font=label, fill=ink, anchor="ls")
            start = a + 22 + label.getlength(text)
            if form.fields == "boxed":
                draw.rectangle((a, y, b, y + height), outline=faded(form, form.light), width=max(1, form.line - 1))
            else:
                draw.line((start, base + 6, b, base + 6), fill=faded(form, max(.2, form.light)), width=2)
            out.fields[name] = (start + 10, base, b - 6)
        y += height
    return y


def emblem(draw, x, y, size, ink, paper):
    """A small chequered badge."""
    n, step = 4, size / 4
    for i in range(n):
        for j in range(n):
            if (i + j) % 2:
                draw.rectangle((x + i * step, y + j * step, x + (i + 1) * step, y + (j + 1) * step), fill=ink)
    draw.rectangle((x, y, x + size, y + size), outline=ink, width=4)
    draw.ellipse((x + size * .3, y + size * .1, x + size * .7, y + size * .5), fill=paper, outline=ink, width=4)
    draw.polygon([(x + size * .5, y + size * .35), (x + size * .22, y + size * .9), (x + size * .78, y + size * .9)], fill=paper, outline=ink, width=4)


def board(draw, x, y, square, ink, dark):
    """An empty board for a position."""
    for i in range(8):
        for j in range(8):
            if (i + j) % 2:
                draw.rectangle((x + i * square, y + j * square, x + (i + 1) * square, y + (j + 1) * square), fill=dark)
    draw.rectangle((x, y, x + 8 * square, y + 8 * square), outline=ink, width=4)


def columns(form, a, b):
    """Where the columns of a pair lie between `a` and `b`: role -> x0, x1."""
    number = (b - a) * {1: .09, 2: .13, 3: .16, 4: .18}[min(form.pairs, 4)] * (1.2 if form.padded else 1)
    clock = (b - a) * form.clocks
    remark = (b - a) * form.remarks
    move = (b - a - (number if form.numbers != "inside" else 0) * (1 + form.mirrored) - 2 * clock - remark) / 2
    if form.numbers == "between":
        widths = [("white", move), ("white clock", clock), ("number", number), ("black", move), ("black clock", clock)]
    elif form.numbers == "inside":
        widths = [("white", move), ("white clock", clock), ("black", move), ("black clock", clock)]
    else:
        widths = [("number", number), ("white", move), ("white clock", clock), ("black", move), ("black clock", clock)]
    if form.mirrored:
        widths.append(("number again", number))
    if form.remarks:
        widths.append(("remarks", remark))
    out, x = {}, a
    for role, width in widths:
        out[role], x = (x, x + width), x + width
    out.setdefault("number", (a, a + number))
    return out


def rule(form, draw, x0, x1, y, fill, width):
    """A line across a row, solid or dotted."""
    if form.rule == "dotted":
        for x in np.arange(x0, x1, 14):
            draw.line((x, y, min(x + 5, x1), y), fill=fill, width=width)
    else:
        draw.line((x0, y, x1, y), fill=fill, width=width)


def table(form, faces, draw, out, x0, x1, y0, y1):
    """The columns of moves with their header and numbers."""
    words, thin = WORDS[form.language], faded(form, form.light)
    gap = form.gutter * (x1 - x0)
    wide = ((x1 - x0) - gap * (form.pairs - 1)) / form.pairs
    band = 64 if form.band else 0
    strips = (form.rows - 1) // form.blocks if form.blocks else 0
    pitch = out.pitch = min((y1 - y0 - band) / (form.rows + .4 * strips), 92)
    top = y0 + band
    ups = [top + pitch * (r + (.4 * (r // form.blocks) if form.blocks else 0)) for r in range(form.rows)]
    bottom = ups[-1] + pitch
    edges = sorted({(round(y, 6), r) for r, y in enumerate(ups)} | {(round(y + pitch, 6), r + 1) for r, y in enumerate(ups)
                                                                  if r + 1 == form.rows or ups[r + 1] > y + pitch + 1})
    small = faces.get(form.family, min(34, pitch * .56))
    shade = tuple(int(c * .88) for c in form.paper_colour)
    if form.watermark:
        size = min(x1 - x0, bottom - top) * .7
        emblem(draw, (x0 + x1 - size) / 2, (top + bottom - size) / 2, size, faded(form, 1 - form.watermark), form.paper_colour)
    for p in range(form.pairs):
        a = x0 + p * (wide + gap)
        b = a + wide
        at = columns(form, a, b)
        number = at["number"]
        if form.band in ("dark", "grey"):
            draw.rectangle((a, y0, b, top), fill=form.colour if form.band == "dark" else shade)
        if form.zebra:
            for r in range(1, form.rows, 2):
                draw.rectangle((a, ups[r], b, ups[r] + pitch), fill=tuple(int(c * .93) for c in form.paper_colour))
        if form.shaded_numbers:
            draw.rectangle((number[0], top, number[1], bottom), fill=shade)
        if form.shaded_black:
            draw.rectangle((at["black"][0], top, at["black"][1], bottom), fill=shade)
        if form.band:
            fill = form.paper_colour if form.band == "dark" else form.colour
            heading = faces.get(form.family, min(32, wide * .06), True)
            for name in ("white", "black"):
                draw.text((sum(at[name]) / 2, top - band / 2), words[name].upper(), font=heading, fill=fill, anchor="mm")
            if form.numbers in ("column", "between"):
                draw.text((sum(number) / 2, top - band / 2), words["number"], font=faces.get(form.family, min(26, wide * .05)), fill=fill, anchor="mm")
        for y, r in edges:
            if form.rule == "under":
                for name in ("white", "black") if r else ():
                    draw.line((at[name][0] + 8, y, at[name][1] - 8, y), fill=thin, width=form.line)
            elif r in (0, form.rows):
                draw.line((a, y, b, y), fill=form.colour, width=form.frame)
            elif form.heavy_every and r % form.heavy_every == 0:
                draw.line((a, y, b, y), fill=form.colour, width=form.line + 2)
            elif form.rows_ruled:
                rule(form, draw, a, b, y, thin, form.line)
        if form.uprights:
            borders = {x for role, span in at.items() if role != "number" for x in span}
            if form.boxes:
                for name in ("white", "black"):
                    for x in np.linspace(*at[name], form.boxes + 1)[1:-1]:
                        draw.line((x, top, x, bottom), fill=thin, width=max(1, form.line - 1))
            for x in borders - {a, b, number[1] if form.numbers in ("inside", "bare") else None}:
                draw.line((x, y0, x, bottom), fill=thin, width=form.line)
            for x in (a, b):
                draw.line((x, y0, x, bottom), fill=form.colour, width=form.frame)
            draw.line((a, y0, b, y0), fill=form.colour, width=form.frame)
        for r in range(form.rows):
            n, y = form.first + p * form.rows + r, ups[r]
            where = (sum(number) / 2, "mm") if form.numbers != "inside" else (a + 12, "lm")
            text = (f"{n:03}" if form.padded else str(n)) + form.mark
            draw.text((where[0], y + pitch / 2), text, font=small, fill=form.colour, anchor=where[1])
            if form.mirrored:
                draw.text((sum(at["number again"]) / 2, y + pitch / 2), text, font=small, fill=form.colour, anchor="mm")
            for name in ("white", "black"):
                out.cells[n, name], out.starts[n, name] = (at[name][0], y, at[name][1], y + pitch), at[name][0]
            if form.numbers == "inside":
                out.starts[n, "white"] = number[1]
    out.table = (x0, y0, x1, bottom)


def footer(form, faces, draw, out, x0, x1, y):
    """Result and signatures."""
    words, font = WORDS[form.language], faces.get(form.family, 30)
    span = x1 - x0
    if form.result != "above":
        draw.text((x0 + 8, y + 40), words["result"] + ":", font=font, fill=form.colour, anchor="ls")
    if form.result == "line":
        draw.line((x0 + span * .16, y + 46, x0 + span * .5, y + 46), fill=form.colour, width=2)
        out.fields["result"] = (x0 + span * .18, y + 40, x0 + span * .5)
    elif form.result != "above":
        for i, text in enumerate(words["won"]):
            x = x0 + span * (.22 + .26 * i)
            width = font.getlength(text)
            if form.result == "boxes":
                draw.rectangle((x, y + 10, x + 34, y + 44), outline=form.colour, width=3)
                out.options.append((x, y + 10, x + 34, y + 44))
                x += 46
            else:
                out.options.append((x - 14, y + 4, x + width + 14, y + 52))
            draw.text((x, y + 40), text, font=font, fill=form.colour, anchor="ls")
    for i, name in enumerate(("white sign", "black sign")):
        a, b = x0 + span * (0, .52)[i], x0 + span * (.48, 1)[i]
        text = words["sign"]
        draw.text((a + 8, y + 120), text, font=faces.get(form.family, 24), fill=form.colour, anchor="ls")
        draw.line((a + 30 + len(text) * 12, y + 124, b, y + 124), fill=form.colour, width=2)
        out.fields[name] = (a + 50 + len(text) * 12, y + 118, b)
