"""Packs of cells: DIR/cells.bin (uint8, 48 x 192 a cell) with DIR/cells.tsv, made by the pipeline or by synthesis.py."""
import csv
import os

import cv2
import numpy as np
import torch

from alphabet import encode, normalise
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


def as_ink(grey):
    """uint8 grey (N, 48, 192) to the network's input: ink = 1, paper = 0."""
    return (255 - grey).unsqueeze(1).float().div_(255)


def endless(pack, rng):
    """Cell numbers for ever, each once before any comes again."""
    while True:
        yield from rng.permutation(len(pack)).tolist()


class Mixture(torch.utils.data.IterableDataset):
    """Augmented batches for ever: [(pack, cells in a batch, strength of augmentation)] -> grey (N, 48, 192), labels."""

    def __init__(self, parts, seed):
        self.parts, self.seed = [p for p in parts if p[1]], seed

    def __iter__(self):
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng((self.seed, worker.id if worker else 0))
        numbers = [endless(pack, rng) for pack, _, _ in self.parts]
        while True:
            grey, labels = [], []
            for (pack, count, strength), source in zip(self.parts, numbers):
                chosen = [next(source) for _ in range(count)]
                cells = [pack.picture(n) for n in chosen]
                grey += [augment(c, cells[i - 1], rng, strength) for i, c in enumerate(cells)]
                labels += [pack.labels[n] for n in chosen]
            yield torch.from_numpy(np.stack(grey)), labels
