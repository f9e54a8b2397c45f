"""From log-probabilities per time step to text, with no help from the game."""
import math

import numpy as np

from alphabet import SYMBOLS


def greedy(log_probs):
    """The best path's text for each cell of a batch (N, steps, classes)."""
    out = []
    for path in log_probs.argmax(2).tolist():
        text, before = [], 0
        for k in path:
            if k and k != before:
                text.append(SYMBOLS[k - 1])
            before = k
        out.append("".join(text))
    return out


def beam(log_probs, width=8, floor=-7.0):
    """The likeliest text of one cell (steps, classes), all its paths summed: CTC prefix beam search."""
    minus, add = -math.inf, np.logaddexp
    front = {(): (0.0, minus)}                                     # text -> (ends in blank, ends in its last sign)
    for row in np.asarray(log_probs):
        likely = np.nonzero(row > floor)[0].tolist()
        new = {}

        def put(text, blank, sign):
            b, s = new.get(text, (minus, minus))
            new[text] = (add(b, blank), add(s, sign))
        for text, (b, s) in front.items():
            for k in likely:
                p = float(row[k])
                if k == 0:
                    put(text, add(b, s) + p, minus)
                elif text and text[-1] == k:
                    put(text, minus, s + p)
                    put(text + (k,), minus, b + p)
                else:
                    put(text + (k,), minus, add(b, s) + p)
        front = dict(sorted(new.items(), key=lambda i: -add(*i[1]))[:width])
    best = max(front, key=lambda t: add(*front[t]))
    return "".join(SYMBOLS[k - 1] for k in best)
