"""What a player writes down: the moves of a game spelled with one writer's habits and language."""
import gzip
import os

import chess

from alphabet import SYMBOLS, normalise

ENGLISH = dict(zip("KQRBNP", "KQRBNP"))
CAPITALS = str.maketrans("abcdefgh", "ABCDEFGH")
FIGURINES = dict(zip("KQRBNP", "♔♕♖♗♘♙"))
ANY = [s for s in SYMBOLS if s.isalpha() and s.isupper()] + ["KP"]          # letters of no one language


def piece_letters(data):
    """The languages but English whose letters the recogniser can write, and figurines, as [(code, letters)]."""
    out, seen = [("figurines", FIGURINES)], set()
    for line in open(os.path.join(data, "piece_letters.tsv"), encoding="utf-8"):
        f = line.rstrip("\n").split("\t")
        if line.startswith("#") or len(f) < 9 or f[0] not in ("el", "sr-Cyrl") and "memory" in f[8] or "do not use" in f[8] or f[0] == "en":
            continue
        if all(normalise(c) for c in f[2:7]) and len(set(f[2:7])) == 5 and (f[0] in COMMON or tuple(f[2:7]) not in seen):
            seen.add(tuple(f[2:7]))
            out.append((f[0], dict(zip("KQRBNP", f[2:8]))))
    return out


COMMON = {"de", "es", "fr", "pt", "ca", "pl", "nl", "it", "ru", "uk", "bg", "cs", "hu", "el", "figurines"}         # drawn more often


def read_games(data, limit=None):
    games = []
    with gzip.open(os.path.join(data, "games", "otb.tsv.gz"), "rt", encoding="utf-8") as f:
        next(f)
        for line in f:
            games.append(line.rstrip("\n").split("\t")[4])
            if limit and len(games) >= limit:
                break
    return games


FORMS = ["short", "long", "descriptive", "spanish", "numeric", "coordinates"]   # the third to the fifth name no squares by letters
SHARES = [.87, .06, .03, .025, .01, .005]
CAPITALS_SHARE = .05                                                     # of sheets in capitals: E4, NF3


class Habits:
    def __init__(self, rng, languages, english=.3, any_letters=0.0, capitals=CAPITALS_SHARE):
        kind = rng.random()
        if kind < english:
            self.language, self.letters = "en", ENGLISH
        elif kind < english + any_letters:
            self.language, self.letters = "any", dict(zip("KQRBNP", [*rng.permutation(ANY)[:5], ""]))
        else:
            p = [3.0 if name in COMMON else 1.0 for name, _ in languages]
            self.language, self.letters = languages[int(rng.choice(len(languages), p=[x / sum(p) for x in p]))]
        self.form = rng.choice(FORMS, p=SHARES)
        if self.form in ("descriptive", "spanish", "numeric", "coordinates"):
            self.language = self.form
        self.capture = rng.choice(["x", "", ":", "-"], p=[.74, .18, .06, .02])
        self.check = rng.choice(["+", "", "ch"], p=[.62, .37, .01])
        self.mate = rng.choice(["#", "++", "+", ""], p=[.6, .2, .1, .1])
        self.pawn = rng.choice(["exd5", "exd", "ed"], p=[.86, .05, .09])
        self.promotion = rng.choice(["=Q", "Q", "(Q)", "/Q"], p=[.5, .3, .15, .05])
        self.passing = rng.random() < .3
        self.capitals = rng.random() < capitals
        self.remarks = rng.choice([0, .03], p=[.8, .2])
        self.careless = rng.choice([0, .1], p=[.6, .4])            # leaves out or adds a mark against the habit


def spell(san, board, move, habits, rng):
    """One move as this writer puts it down.  board and move are None for short notation."""
    letters = habits.letters
    end = ""
    if san[-1] in "+#":
        end = habits.check if san[-1] == "+" else habits.mate
        if habits.careless and rng.random() < habits.careless:
            end = "" if end else "+"
        san = san[:-1]
    if habits.form == "numeric":
        text = "".join(f"{chess.square_file(q) + 1}{chess.square_rank(q) + 1}" for q in (move.from_square, move.to_square))
        return text + {None: "", 5: "1", 4: "2", 3: "3", 2: "4"}[move.promotion]
    if habits.form == "coordinates":
        sign = habits.capture if "x" in san else ""
        text = chess.square_name(move.from_square) + sign + chess.square_name(move.to_square)
        text += "" if move.promotion is None else chess.piece_symbol(move.promotion).upper()
    elif san.startswith("O"):
        text = san
    elif habits.form in ("descriptive", "spanish"):
        text = descriptive(board, move, habits.form == "spanish")
    else:
        promoted = ""
        if "=" in san:
            san, piece = san.split("=")
            promoted = habits.promotion.replace("Q", letters[piece])
        mark = habits.capture if rng.random() >= habits.careless else "x"
        takes = "x" in san
        if habits.form == "long":
            piece = letters[san[0]] if san[0].isupper() else ""
            text = piece + chess.square_name(move.from_square) + (mark or "x" if takes else "-") + chess.square_name(move.to_square)
        elif san[0].isupper():
            text = letters[san[0]] + (san[1:].replace("x", mark) if takes else san[1:])
        elif takes:
            start, goal = san.split("x")
            text = {"exd5": start + mark + goal, "exd": start + (mark or "x") + goal[0], "ed": start + goal[0]}[str(habits.pawn)]
            if habits.passing and rng.random() < .05:
                text += " e.p."
        else:
            text = san
        text += promoted
    if habits.capitals and habits.form in ("short", "long"):
        text = text.translate(CAPITALS)
    text += end
    if rng.random() < habits.remarks:
        text += rng.choice(["!", "?", "!?", "?!", "!!", "??"])
    return text


FILES = ["QR", "QN", "QB", "Q", "K", "KB", "KN", "KR"]
SPANISH = str.maketrans("KQRBN", "RDTAC")


def descriptive(board, move, spanish):
    """Descriptive notation, as short as players write it: N-KB3, in Spanish C3AR."""
    piece = board.piece_at(move.from_square).symbol().upper()
    if board.is_capture(move):
        taken = board.piece_at(move.to_square)
        text = piece + "x" + (taken.symbol().upper() if taken else "P")
        return text.translate(SPANISH) if spanish else text
    rank = chess.square_rank(move.to_square)
    rank = rank + 1 if board.turn else 8 - rank
    name = FILES[chess.square_file(move.to_square)]
    if len(name) == 2 and sum(m.to_square != move.to_square and chess.square_rank(m.to_square) == chess.square_rank(move.to_square)
                              and FILES[chess.square_file(m.to_square)][-1] == name[-1]
                              and board.piece_type_at(m.from_square) == board.piece_type_at(move.from_square)
                              for m in board.legal_moves) == 0:
        name = name[1]
    if spanish:
        return f"{piece}{rank}{name[::-1]}".translate(SPANISH)
    return f"{piece}-{name}{rank}"


def spelled_game(sans, habits, rng):
    """The whole game as written."""
    if habits.form == "short":
        return [spell(s, None, None, habits, rng) for s in sans]
    board, out = chess.Board(), []
    for s in sans:
        move = board.parse_san(s)
        out.append(spell(s, board, move, habits, rng))
        board.push(move)
    return out
