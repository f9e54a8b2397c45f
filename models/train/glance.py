"""Trains the quick network of models/glance.onnx to read as a released one does.

    python glance.py ../recogniser.onnx --temperature 1.2 --glances DIR... --minutes 40 --run RUN
    python glance.py ... --resume RUN/last.pt                                             goes on after a stop

The packs are made by `scoresheet inspect --glances`: all that the program looks at on its way to the tables, moves and
numbers as well as print, ruling and noise.  No label is needed: the released network says for each step what is there.
The learning rate follows the clock and reaches zero when the minutes are over; a tenth of the pages is held out.
"""
import argparse
import csv
import math
import os
import re
import signal
import time
import zlib

import numpy as np
import onnxruntime
import torch

from alphabet import CLASSES, SYMBOLS
from cells import HEIGHT, MARGIN, STRIDE, WIDTH, as_ink
from decode import greedy
from model import SHAPES, build, cost
from train import Average, save

# Windows of the released network and of the quick one, in pixels.
TEACHER = [96, 112, 128, 144, 160, WIDTH]
WINDOWS = [64, 80, 96, 112, 128, 160, WIDTH]
# How much more a step counts in which there is a sign.
SIGN = 4.0


def window(begin, end, widths):
    """The narrowest window that shows ink from `begin` to `end`, and where it starts, as the program chooses it."""
    start = max(0, begin - MARGIN) // STRIDE * STRIDE
    needed = min(end + MARGIN, WIDTH) - start
    width = next((w for w in widths if w >= needed), WIDTH)
    return width, min(start, WIDTH - width)


class Glances:
    """The cells of some packs in their windows, each with the probabilities that the released network gives its steps."""

    def __init__(self, folders, model, temperature, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(model, options)
        self.by_width = {w: ([], [], []) for w in WINDOWS}         # pictures, probabilities, held out
        for folder in folders:
            pictures = np.memmap(os.path.join(folder, "cells.bin"), np.uint8, "r").reshape(-1, HEIGHT, WIDTH)
            with open(os.path.join(folder, "cells.tsv"), encoding="utf-8", newline="") as f:
                rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
            unlike = {zlib.crc32(pictures[n]): n for n in range(len(rows))}      # a cell may be looked at twice
            groups = {}
            for n in sorted(unlike.values()):
                groups.setdefault(window(int(rows[n]["from"]), int(rows[n]["to"]), TEACHER)[0], []).append(n)
            for wide, cells in groups.items():
                for i in range(0, len(cells), 64):
                    self.teach(session, temperature, [(pictures[n], rows[n]) for n in cells[i:i + 64]], wide)
        for width, (pictures, said, out) in self.by_width.items():
            steps = width // STRIDE
            self.by_width[width] = (np.array(pictures, np.uint8).reshape(-1, HEIGHT, width),
                                    np.array(said, np.float16).reshape(-1, steps, CLASSES), np.array(out, bool))

    def teach(self, session, temperature, cells, wide):
        places = [window(int(row["from"]), int(row["to"]), TEACHER)[1] for _, row in cells]
        ink = np.stack([255 - picture[:, at:at + wide] for (picture, _), at in zip(cells, places)]).astype(np.float32) / 255
        scores = session.run(None, {session.get_inputs()[0].name: ink[:, None]})[0] / temperature
        scores = np.exp(scores - scores.max(2, keepdims=True))
        scores /= scores.sum(2, keepdims=True)
        for (picture, row), at, said in zip(cells, places, scores):
            width, start = window(int(row["from"]), int(row["to"]), WINDOWS)
            whole = np.zeros((WIDTH // STRIDE, CLASSES), np.float16)
            whole[:, 0] = 1                                        # outside its window the other sees nothing
            whole[at // STRIDE:(at + wide) // STRIDE] = said
            number = int(re.search(r"\d+", row["page"]).group())
            pictures, probabilities, held_out = self.by_width[width]
            pictures.append(np.array(picture[:, start:start + width]))
            probabilities.append(whole[start // STRIDE:(start + width) // STRIDE])
            held_out.append(number % 10 == 9)

    def batches(self, size, rng):
        """Batches for training for ever, each of one width: pictures, probabilities."""
        while True:
            order = []
            for width, (_, _, out) in self.by_width.items():
                cells = rng.permutation(np.flatnonzero(~out))
                order += [(width, cells[i:i + size]) for i in range(0, len(cells), size)]
            for n in rng.permutation(len(order)):
                width, cells = order[n]
                pictures, said, _ = self.by_width[width]
                yield changed(pictures[np.sort(cells)], rng), said[np.sort(cells)]

    def held_out(self, size=256):
        for pictures, said, out in self.by_width.values():
            cells = np.flatnonzero(out)
            for i in range(0, len(cells), size):
                yield pictures[cells[i:i + size]], said[cells[i:i + size]]

    def __len__(self):
        return sum(len(pictures) for pictures, _, _ in self.by_width.values())


def changed(pictures, rng):
    """The pictures a little lighter or darker and with some grain, which changes nothing that can be read."""
    count = len(pictures)
    contrast, grain = rng.uniform(.7, 1.1, (count, 1, 1)), rng.uniform(0, 10, (count, 1, 1)) * (rng.random((count, 1, 1)) < .5)
    grey = 255 - (255 - pictures.astype(np.float32)) * contrast.astype(np.float32)
    grey += rng.standard_normal(pictures.shape, np.float32) * grain.astype(np.float32)
    return np.clip(grey, 0, 255).astype(np.uint8)


@torch.inference_mode()
def judged(model, glances):
    """Shares of the held-out cells that read as the released network reads them: of numbers, moves and all others."""
    model.eval()
    alike = {"number": [], "move": [], "other": []}
    for pictures, said in glances.held_out():
        mine = greedy(model(as_ink(torch.from_numpy(pictures))))
        for a, b in zip(mine, greedy(torch.from_numpy(said.astype(np.float32)))):
            kind = "number" if re.fullmatch(r"[\dO]+[.)]?", b) else "move" if re.search(r"[a-h][1-8][+#]?$|^O-O", b) else "other"
            alike[kind].append(a == b)
    return {kind: round(sum(said) / max(1, len(said)), 4) for kind, said in alike.items()}


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("teacher"), a.add_argument("--temperature", type=float, required=True)
    a.add_argument("--glances", nargs="+", required=True), a.add_argument("--run", required=True)
    a.add_argument("--minutes", type=float, required=True), a.add_argument("--resume")
    a.add_argument("--shape", choices=SHAPES, default="glance"), a.add_argument("--batch", type=int, default=96)
    a.add_argument("--rate", type=float, default=3e-3), a.add_argument("--decay", type=float, default=0.01)
    a.add_argument("--average", type=float, default=0.998), a.add_argument("--every", type=float, default=5, help="minutes between validations")
    a.add_argument("--threads", type=int, default=2), a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    os.makedirs(o.run, exist_ok=True)
    glances = Glances(o.glances, o.teacher, o.temperature, o.threads)
    model = build(CLASSES, o.shape)
    macs, parameters = cost(model)
    print(f"{len(glances)} cells; shape {o.shape}: {macs / 1e6:.1f} M multiply-adds, {parameters / 1e6:.2f} M parameters", flush=True)
    optimiser = torch.optim.AdamW(model.parameters(), lr=o.rate, weight_decay=o.decay, betas=(.9, .98))
    average, step, spent = Average(model, o.average), 0, 0.0
    if o.resume:
        state = torch.load(o.resume, map_location="cpu", weights_only=False)
        model.load_state_dict(state["model"]), optimiser.load_state_dict(state["optimiser"])
        average.state, average.steps, step, spent = state["average"], state["step"], state["step"], state["spent"]
    judge = build(CLASSES, o.shape)
    began, stopped, losses, next_check = time.time() - spent, [], [], time.time() + o.every * 60
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))

    def checkpoint():
        save(os.path.join(o.run, "last.pt"), dict(
            model=model.state_dict(), average=average.state, optimiser=optimiser.state_dict(), shape=o.shape, step=step,
            spent=time.time() - began, symbols=SYMBOLS, options=vars(o)))
        judge.load_state_dict(average.state)
        alike = judged(judge, glances)
        print(f"minutes {(time.time() - began) / 60:.1f} step {step} loss {np.mean(losses[-400:]):.4f} {alike}", flush=True)

    for pictures, said in glances.batches(o.batch, np.random.default_rng((o.seed, step))):
        done = (time.time() - began) / (o.minutes * 60)
        if done >= 1 or stopped:
            break
        for group in optimiser.param_groups:
            group["lr"] = o.rate * min(1, (step + 1) / 150) * (0.5 + 0.5 * math.cos(math.pi * done))
        ink = as_ink(torch.from_numpy(pictures))
        target = torch.from_numpy(said.astype(np.float32))
        model.train()
        with torch.autocast("cpu", torch.bfloat16):
            log_probs = model(ink)
        weight = 1 + SIGN * (1 - target[:, :, 0])
        divergence = (target * (target.clamp_min(1e-6).log() - log_probs)).sum(2)
        loss = (weight * divergence).sum() / weight.sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        average.update(model)
        step += 1
        losses.append(loss.item())
        if step % 200 == 0:
            print(f"step {step} loss {np.mean(losses[-200:]):.4f} {step * o.batch / (time.time() - began):.0f} cells/s", flush=True)
        if time.time() > next_check:
            checkpoint()
            next_check = time.time() + o.every * 60
    checkpoint()


if __name__ == "__main__":
    main()
