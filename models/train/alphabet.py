"""The signs that the recogniser knows, and how a written label is brought into them.

Class 0 is the CTC blank; class i+1 is SYMBOLS[i].  A class is a shape, not a letter: signs that look the same share one.
Zero and the letters o and O are one sign `O`, the multiplication sign and the letter X are `x`, the letter p (of "e.p.",
and Cyrillic and Greek rho) is `P`, Cyrillic and Greek letters that Latin has are the Latin ones, the Greek iota is `1`.
Figurines stand in their white form.  Everything else that is not listed is left out.
"""
import re

SYMBOLS = "123456789abcdefghxABCDEFGHJKLNOPQRSTVWZ+#=-:./()!?" + "MФЛЦДП" + "♔♕♖♗♘"
CLASSES = len(SYMBOLS) + 1
INDEX = {s: i + 1 for i, s in enumerate(SYMBOLS)}
SAME = {"0": "O", "o": "O", "×": "x", "X": "x", "p": "P", "–": "-", "—": "-", "†": "+",
        # Cyrillic, Greek, accents, black figurines
        **dict(zip("КСТОРрВАЕНМЛ", "KCTOPPBAEHMЛ")),
        **dict(zip("ΑΒΙΡΠΤΚ", "AB1PПTK")), **dict(zip("ŞŚŠŽČÉ", "SSSZCE")),
        **dict(zip("♚♛♜♝♞", "♔♕♖♗♘"))}


def normalise(text):
    """The label as a string over SYMBOLS."""
    return "".join(c for c in (SAME.get(c, c) for c in text or "") if c in INDEX)


def encode(text):
    return [INDEX[c] for c in normalise(text)]


def plain(text):
    """Notation without the marks that do not change the move, as accuracy is counted."""
    text = (text or "").strip().replace("0", "O").replace("o", "O")
    return re.sub(r"[+#x:=×\-\s!?()]|e\.?p\.?", "", text)
