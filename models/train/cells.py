"""Packs of cells: DIR/cells.bin (uint8, 48 x 192 a cell) with DIR/cells.tsv, made by the pipeline or by synthesis.py."""
import csv
import os

import cv2
import numpy as np
import torch

from alphabet import SYMBOLS, encode, normalise
from augment import augment

HEIGHT, WIDTH = 48, 192


class Pack:
    """The cells of one or more packs that have a label, filtered by `keep(row)`."""

    def __init__(self, folders, keep=lambda row: True):
        self.pictures, self.where, self.rows, self.labels = [], [], [], []
        for number, folder in enumerate(folders):
            path = os.path.join(folder, "cells.bin")
            self.pictures.append(np.memmap(path, np.uint8, "r").reshape(-1, HEIGHT, WIDTH))
            with open(os.path.join(folder, "cells.tsv"), encoding="utf-8", newline="") as f:
                for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
                    if normalise(row["text"]) and keep(row):
                        self.where.append((number, int(row["index"])))
                        self.rows.append(row)
                        self.labels.append(encode(row["text"]))

    def __len__(self):
        return len(self.rows)

    def picture(self, number):
        pack, index = self.where[number]
        return self.pictures[pack][index]


class Splicer:
    """Makes a cell of the beginning of one cell and the end of another by the same hand, cut between two signs."""

    def __init__(self, pack):
        self.pack = pack
        self.at = [[int(x) for x in row.get("at", "").split()] if row.get("at") else [] for row in pack.rows]
        self.at = [at if len(at) == len(label) > 1 else [] for at, label in zip(self.at, pack.labels)]
        self.hands = {}
        for n, (row, at) in enumerate(zip(pack.rows, self.at)):
            if at and row["colour"] != "number":
                self.hands.setdefault((row["set"], row["page"]), []).append(n)

    def splice(self, n, rng):
        """Picture and label; none where the cell cannot be cut."""
        row = self.pack.rows[n]
        hand = self.hands.get((row["set"], row["page"]), ())
        if not self.at[n] or len(hand) < 2:
            return None
        i = int(rng.integers(1, len(self.at[n])))
        kind = kind_of(self.pack.labels[n][i - 1])
        for _ in range(6):                                         # a file after a piece, a rank after a file
            other = hand[int(rng.integers(len(hand)))]
            j = int(rng.integers(1, len(self.at[other])))
            if kind_of(self.pack.labels[other][j - 1]) == kind:
                break
        else:
            return None
        a, b = self.pack.picture(n), self.pack.picture(other)
        x, y = lightest(a, self.at[n][i - 1:i + 1]), lightest(b, self.at[other][j - 1:j + 1])
        label = self.pack.labels[n][:i] + self.pack.labels[other][j:]
        if x + (self.at[other][-1] + 14 - y) > WIDTH or any(p == q for p, q in zip(label, label[1:])):
            return None
        out = np.empty_like(a)
        out[:, :x] = a[:, :x]
        tail = b[:, y:y + WIDTH - x]
        out[:, x:x + tail.shape[1]] = tail
        out[:, x + tail.shape[1]:] = tail[:, -1:]
        return out, label


def kind_of(label):
    """Rank, file, capital or another sign."""
    sign = SYMBOLS[label - 1]
    return 0 if sign.isdigit() else 1 if sign in "abcdefgh" else 2 if sign.isalpha() and sign != "x" else sign


def lightest(cell, between):
    """The column with the least ink between two signs."""
    left, right = between[0] + 2, between[1] - 1
    if right <= left:
        return (between[0] + between[1] + 1) // 2
    return left + int(np.argmax(cell[12:37, left:right].sum(0, dtype=np.int64)))


def as_ink(grey):
    """uint8 grey (N, 48, 192) to the network's input: ink = 1, paper = 0."""
    return (255 - grey).unsqueeze(1).float().div_(255)


def endless(pack, rng):
    """Cell numbers for ever, each once before any comes again."""
    while True:
        yield from rng.permutation(len(pack)).tolist()


class Mixture(torch.utils.data.IterableDataset):
    """Augmented batches for ever: [(pack, cells in a batch, strength of augmentation)] -> grey (N, 48, 192), labels.

    A share `spliced` of the cells that have places is made of two."""

    def __init__(self, parts, seed, spliced=0.0):
        self.parts, self.seed, self.spliced = [p for p in parts if p[1]], seed, spliced
        self.splicers = [Splicer(pack) for pack, _, _ in self.parts]

    def __iter__(self):
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng((self.seed, worker.id if worker else 0))
        numbers = [endless(pack, rng) for pack, _, _ in self.parts]
        while True:
            grey, labels = [], []
            for (pack, count, strength), source, splicer in zip(self.parts, numbers, self.splicers):
                chosen = [next(source) for _ in range(count)]
                made = [rng.random() < self.spliced and splicer.splice(n, rng) or (pack.picture(n), pack.labels[n]) for n in chosen]
                cells = [picture for picture, _ in made]
                grey += [augment(c, cells[i - 1], rng, strength) for i, c in enumerate(cells)]
                labels += [label for _, label in made]
            yield torch.from_numpy(np.stack(grey)), labels


# Windows in which the program shows cells, in pixels: they begin at a multiple of the stride, with a margin beside the ink.
WINDOWS = [96, 112, 128, 144, 160, WIDTH]
STRIDE, MARGIN = 4, 16
# Share of cells shown whole all the same, so that wide ones stay known.
WHOLE = 0.15


def window(cell, rng):
    """The narrowest window that shows a grey cell's ink, and where it starts, much as the program chooses it."""
    rows = cell[9:39]
    paper = np.median(rows[::3, ::5])
    ink = np.flatnonzero((rows < paper - 45).sum(0) >= 1)
    if not len(ink) or rng.random() < WHOLE:
        return WIDTH, 0
    start = max(0, int(ink[0]) - MARGIN + int(rng.integers(-6, 3))) // STRIDE * STRIDE
    needed = min(int(ink[-1]) + MARGIN + int(rng.integers(-3, 7)), WIDTH) - start
    width = next((w for w in WINDOWS if w >= needed), WIDTH)
    return width, min(start, WIDTH - width)


def in_windows(batches, rng):
    """The cells of the batches cut to their windows, in batches of one width and of the same size."""
    pools = {width: [] for width in WINDOWS}
    for grey, labels in batches:
        for cell, label in zip(grey, labels):
            width, start = window(cell.numpy(), rng)
            pools[width].append((cell[:, start:start + width], label))
            if len(pools[width]) == len(labels):
                yield torch.stack([c for c, _ in pools[width]]), [l for _, l in pools[width]]
                pools[width] = []
