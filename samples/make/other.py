"""Pictures that are no readable scoresheet: each must be refused with a sentence, never read."""
import struct
import zlib

import cv2
import numpy as np

from photo import soft


def landscape(rng, w=1500, h=2000):
    """Hills, a lake and a sun."""
    y = np.linspace(0, 1, h, dtype=np.float32)[:, None]
    sky = np.float32((.45, .65, .9)) * (1 - y[..., None]) + np.float32((.98, .85, .7)) * y[..., None]
    picture = np.repeat(sky, w, 1) + .06 * np.clip(soft(rng, w, h, 180) + .5 * soft(rng, w, h, 50), 0, 2)[..., None]
    xs = np.arange(w)
    cv2.circle(picture, (int(w * .7), int(h * .27)), 70, (1.0, .95, .8), -1, cv2.LINE_AA)
    for i, colour in enumerate([(.5, .58, .68), (.38, .5, .48), (.27, .42, .27), (.18, .3, .14)]):
        ridge = h * (.4 + .1 * i) + soft(rng, w, 2, w / (3 + 2 * i))[0] * h * .05 + soft(rng, w, 2, 40)[0] * 5
        hill = np.arange(h)[:, None] > ridge[None, :]
        grass = np.float32(colour) * (1 + .12 * soft(rng, w, h, 9) + .1 * soft(rng, w, h, 60))[..., None]
        picture = np.where(hill[..., None], grass, picture)
    lake = np.hypot((xs[None, :] - w * .42) / (w * .36), (np.arange(h)[:, None] - h * .82) / (h * .055)) < 1
    glint = .5 + .1 * soft(rng, w, h, 12) + .08 * np.sin(np.arange(h) * .5)[:, None]
    picture = np.where(lake[..., None], np.float32((.5, .65, .8)) * (glint + .45)[..., None], picture)
    picture = cv2.GaussianBlur(picture, (0, 0), .9) + rng.standard_normal((h, w, 1)).astype(np.float32) * .012
    return (np.clip(picture, 0, 1) * 255).astype(np.uint8)


def enormous_png(side=60_000):
    """A PNG of a few kilobytes that declares side x side pixels; every checksum is right, the pixels end early."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes((side + 1) * 50), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


NOTES = """Notes for the club evening

- bring the clocks, two of them lose time
- the sheet of board 7 is missing a page
- ask Greta about the analysis of 23. Rxe6

This is a text file. Its name ends in .jpg, but it is no picture.
"""
