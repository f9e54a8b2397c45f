"""Stores a photo as phones do: HEIC, lying on its side, with a rotation in the file.

    python heic.py PHOTO OUT.heic

Needs `heif-enc` (Debian: libheif-examples), which writes no rotation itself; the box is put in afterwards.
"""
import os
import struct
import subprocess
import sys
import tempfile

from PIL import Image

QUALITY = "38"
# Quarter turns against the clock that a viewer has to make (ISO/IEC 23008-12, `irot`).
TURNS = 3


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind + content


def boxes(data):
    """[(kind, content)] of the boxes in data."""
    found, at = [], 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        found.append((kind, data[at + 8:at + size]))
        at += size
    return found


def with_rotation(data):
    """The file with an `irot` property on its only picture; all that follows moves by as much as that takes."""
    def properties(content):
        inner = dict(boxes(content))
        count = len(boxes(inner[b"ipco"]))
        links = inner[b"ipma"]
        # Version and flags, number of items, item 1, number of its properties, their indices.
        head, number, indices = links[:10], links[10], links[11:]
        return box(b"ipco", inner[b"ipco"] + box(b"irot", bytes([TURNS]))) + \
            box(b"ipma", head + bytes([number + 1]) + indices + bytes([0x80 | count + 1]))

    def places(content, by):
        # Version 0, offsets, lengths and base offsets of four bytes, one extent an item: the base offset follows the item's
        # number and its source, two bytes each.
        assert content[0] == 0 and content[4:6] == b"\x44\x40"
        content = bytearray(content)
        for item in range(struct.unpack_from(">H", content, 6)[0]):
            at = 8 + 18 * item + 4
            struct.pack_into(">I", content, at, struct.unpack_from(">I", content, at)[0] + by)
        return bytes(content)

    def again(by):
        out = b""
        for kind, content in boxes(data):
            if kind == b"meta":
                inner = [(k, properties(c) if k == b"iprp" else places(c, by) if k == b"iloc" else c) for k, c in boxes(content[4:])]
                content = content[:4] + b"".join(box(*each) for each in inner)
            out += box(kind, content)
        return out
    return again(len(again(0)) - len(data))


def main():
    photo, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        side, coded = os.path.join(folder, "side.png"), os.path.join(folder, "side.heic")
        Image.open(photo).rotate(90, expand=True).save(side)
        subprocess.run(["heif-enc", "-q", QUALITY, side, "-o", coded], check=True, stdout=subprocess.DEVNULL)
        with open(coded, "rb") as file:
            data = with_rotation(file.read())
    with open(out, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
