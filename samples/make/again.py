"""Photographs real pages again in software, in ways in which people take photos.

    python again.py DATASET... --out DIR [--every 6] [--most 9] [--ways angle dim ...]

A DATASET has pages/, written.csv and played.csv.  Of each the pages are taken whose game's number divides by --every, and at
most --most of them, evenly spread.  DIR/WAY is a data set of its own for every way, DIR/as-it-is holds the same pages unchanged:
what differs between their figures is owed to the photo.
"""
import argparse
import csv
import os

import cv2
import numpy as np

from photo import Shot, jpeg, photograph

LIMIT = 900_000                     # bytes of a JPEG


def shots(rng):
    """By name, each way to take the photo."""
    u = rng.uniform
    base = {"table": str(rng.choice(["wood", "cloth", "dark", "pale"])), "height": 2200, "bytes": LIMIT}
    return {
        "angle": Shot(**base, tilt=25, roll=u(-8, 8), curl=.006),
        "steep": Shot(**base, tilt=40, roll=u(-12, 12), margin=.1),
        "askew": Shot(**base, tilt=10, roll=u(25, 45) * rng.choice([-1, 1]), margin=.03),
        "turned": Shot(**base, tilt=8, roll=u(-3, 3), turn=int(rng.integers(1, 4))),
        "dim": Shot(**base, tilt=10, gradient=.5, shadow=.45, vignette=.4, noise=.03, blur=1.1),
        "small": Shot(**{**base, "height": 1000}, tilt=6),
        "folded": Shot(**base, tilt=10, crease=.5, curl=.02),
        "cut-off": Shot(**base, tilt=8, margin=-.05),
    } | among_things(rng.spawn(1)[0])


def among_things(rng):
    """Ways that have to do with what lies around the page and on it, with its colour, and with what was made of the photo."""
    u = rng.uniform
    base = {"height": 2200, "bytes": LIMIT, "tilt": 8, "roll": u(-5, 5), "margin": .06}
    wood = base | {"table": str(rng.choice(["wood", "cloth", "dark", "pale"]))}
    flat = base | {"scan": True, "tilt": 0, "roll": u(-1, 1), "curl": 0, "vignette": 0, "gradient": .05}
    return {
        "chessboard": Shot(**base, table="chessboard"),
        "stacked": Shot(**base, table="sheets"),
        "pen": Shot(**wood, over="pen"),
        "fingers": Shot(**wood, over="fingers"),
        "coloured": Shot(**wood, tint=tuple(rng.choice([(1, .72, .78), (1, .9, .45), (.68, .9, .7), (.65, .82, .98), (.78, .68, .5)]))),
        "glare": Shot(**wood, glare=u(.2, .5)),
        "motion": Shot(**wood, motion=u(4, 9)),
        "app": Shot(**wood, finish="app"),
        "bilevel": Shot(**flat, finish="bilevel"),
        "copy": Shot(**flat, finish="copy"),
    }


def game(page):
    """The number of a page's game, as the tables spell it."""
    return os.path.splitext(page)[0].split("_")[0]


def pages_of(dataset, every, most):
    pages = sorted(page for page in os.listdir(os.path.join(dataset, "pages")) if int(game(page)) % every == 0)
    return pages[::max(1, -(-len(pages) // most))]


def table(path, keys):
    """The heading and the rows of a table whose first field is one of the keys."""
    with open(path, encoding="utf-8", newline="") as f:
        heading, *rows = csv.reader(f)
    return heading, [row for row in rows if row[0] in keys]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("datasets", nargs="+"), a.add_argument("--out", required=True)
    a.add_argument("--every", type=int, default=6), a.add_argument("--most", type=int, default=9)
    a.add_argument("--ways", nargs="*", help="all if left out")
    o = a.parse_args()
    ways = o.ways or ["as-it-is", *shots(np.random.default_rng(0))]
    chosen = [(dataset, pages_of(dataset, o.every, o.most)) for dataset in o.datasets]
    for way in ways:
        out = os.path.join(o.out, way)
        os.makedirs(os.path.join(out, "pages"), exist_ok=True)
        for dataset, pages in chosen:
            for page in pages:
                picture = cv2.imread(os.path.join(dataset, "pages", page))[..., ::-1]
                rng = np.random.default_rng([ord(c) for c in way + page])
                if way != "as-it-is":
                    picture = photograph(np.float32(picture) / 255, shots(rng)[way], rng)[0]
                with open(os.path.join(out, "pages", os.path.splitext(page)[0] + ".jpg"), "wb") as f:
                    f.write(jpeg(picture, LIMIT))
        for name in ("written.csv", "played.csv"):
            with open(os.path.join(out, name), "w", encoding="utf-8", newline="") as f:
                writer = csv.writer(f)
                for at, (dataset, pages) in enumerate(chosen):
                    keys = {page for page in pages} | {game(page) for page in pages}
                    heading, rows = table(os.path.join(dataset, name), keys)
                    writer.writerows([heading] * (at == 0) + rows)
        print(way, sum(len(pages) for _, pages in chosen), "pages")


if __name__ == "__main__":
    main()
