"""Trains the recogniser.

    python train.py --synthetic-cells DIR --check DIR --minutes 35 --run RUN             first on made-up cells
    python train.py --cells DIR DIR --synthetic-cells DIR --synthetic 0.3 \\
                    --start RUN/last.pt --minutes 60 --run RUN2                           then on real ones
    python train.py ... --resume RUN2/last.pt                                             goes on after a stop

The learning rate follows the clock and reaches zero when the minutes are over.  RUN/last.pt is written every few
minutes (whole or not at all), RUN/curve.csv has a line for each validation.
"""
import argparse
import csv
import math
import os
import signal
import time

import numpy as np
import torch
from torch.nn import functional as F

from alphabet import CLASSES, INDEX, SYMBOLS, plain
from cells import Mixture, Pack, as_ink, in_windows
from decode import greedy
from model import SHAPES, build, cost
from pretrained import from_onnx
from split import held_out
from warm import warm_up


def options():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--cells", nargs="*", default=[], help="packs of real cells, split by game")
    a.add_argument("--synthetic-cells", nargs="*", default=[], help="packs of made-up cells")
    a.add_argument("--check", nargs="*", default=[], help="packs held out as a whole")
    a.add_argument("--synthetic", type=float, default=0.3, help="share of made-up cells in a batch")
    a.add_argument("--run", required=True), a.add_argument("--minutes", type=float, required=True)
    a.add_argument("--resume"), a.add_argument("--start", help="begin with the averaged weights of this checkpoint, or with an ONNX file of PP-OCRv6")
    a.add_argument("--shape", choices=SHAPES, default="flatter"), a.add_argument("--batch", type=int, default=128)
    a.add_argument("--rate", type=float, default=2e-3), a.add_argument("--decay", type=float, default=0.03)
    a.add_argument("--strength", type=float, default=1.0, help="of the augmentation of real cells")
    a.add_argument("--spliced", type=float, default=0.0, help="share of cells made of the parts of two by one hand")
    a.add_argument("--synthetic-strength", type=float, default=0.5)
    a.add_argument("--warm", type=int, default=300, help="steps that teach places first, from a random start only")
    a.add_argument("--dropout", type=float, default=0.15), a.add_argument("--average", type=float, default=0.998)
    a.add_argument("--every", type=float, default=4, help="minutes between validations")
    a.add_argument("--threads", type=int, default=1), a.add_argument("--workers", type=int, default=1)
    a.add_argument("--narrow", action="store_true", help="show most cells in windows as narrow as the program cuts them")
    a.add_argument("--seed", type=int, default=1)
    return a.parse_args()


def save(path, state):
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)


@torch.inference_mode()
def log_probabilities(model, pack, device, batch=256):
    model.eval()
    out = []
    for i in range(0, len(pack), batch):
        ink = as_ink(torch.from_numpy(np.stack([pack.picture(n) for n in range(i, min(i + batch, len(pack)))])))
        with torch.autocast(device.type, torch.bfloat16):
            out.append(model(ink.to(device, memory_format=torch.channels_last)).float().cpu())
    return torch.cat(out)


def reader_exact(texts, pack):
    """{set: share of cells read exactly}."""
    right = {}
    for text, row in zip(texts, pack.rows):
        right.setdefault(row["set"], []).append(plain(text) == plain(row["text"]))
    return {k: sum(v) / len(v) for k, v in sorted(right.items())}


def with_signs(state, symbols):
    """Weights trained on other signs: the rows of signs that are new begin near nothing."""
    if symbols == SYMBOLS:
        return state
    state = dict(state)
    for name in ("out.weight", "out.bias"):
        old = state[name]
        new = torch.zeros(CLASSES, *old.shape[1:]) if name == "out.weight" else torch.full((CLASSES,), float(old.min()) - 10)
        new[0] = old[0]
        for i, sign in enumerate(symbols):
            if sign in INDEX:
                new[INDEX[sign]] = old[i + 1]
        state[name] = new
    return state


class Average:
    """A running mean of the weights, faster at the beginning."""

    def __init__(self, model, decay):
        self.decay, self.steps = decay, 0
        self.state = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        self.steps += 1
        keep = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for k, v in model.state_dict().items():
            if v.is_floating_point():
                self.state[k].lerp_(v, 1 - keep)
            else:
                self.state[k].copy_(v)


def main():
    o = options()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    os.makedirs(o.run, exist_ok=True)

    # printed move numbers are easy: half of them will do
    real = Pack(o.cells, lambda r: not held_out(r["set"], r["game"]) and (r["colour"] != "number" or int(r["index"]) % 2))
    made = Pack(o.synthetic_cells)
    validation = Pack(o.cells + o.check, lambda r: held_out(r["set"], r["game"]) or r["set"].startswith("synthetic"))
    share = (0.0 if not len(made) else o.synthetic if len(real) else 1.0)
    n_made = round(o.batch * share)
    print(f"{len(real)} real cells, {len(made)} made up, {len(validation)} held out, {n_made} of {o.batch} in a batch made up")

    begun = (o.start or "").endswith(".onnx") and not o.resume
    start = torch.load(o.resume or o.start, map_location="cpu", weights_only=False) if (o.resume or o.start) and not begun else None
    shape = start["shape"] if start else "pretrained" if begun else o.shape
    model = build(CLASSES, shape, o.dropout)
    if begun:
        model.load_state_dict(from_onnx(o.start).state_dict())
    elif start:
        model.load_state_dict(start["model"] if o.resume else with_signs(start["average"], start["symbols"]))
    macs, parameters = cost(model)
    print(f"shape {shape}: {macs / 1e6:.0f} M multiply-adds, {parameters / 1e6:.2f} M parameters, on {device}")
    model = model.to(device, memory_format=torch.channels_last)
    plain_weights = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW([dict(params=plain_weights, weight_decay=o.decay), dict(params=others, weight_decay=0.0)],
                                  lr=o.rate, betas=(.9, .98))
    if not start and not begun:
        warm_up(model, made, o.warm, device, o.seed)
    average, step, spent = Average(model, o.average), 0, 0.0
    if o.resume:
        optimiser.load_state_dict(start["optimiser"])
        average.state = {k: v.to(device) for k, v in start["average"].items()}
        average.steps, step, spent = start["step"], start["step"], start["spent"]
        torch.set_rng_state(start["random"])
    judge = build(CLASSES, shape).to(device, memory_format=torch.channels_last)

    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
    began, total = time.time() - spent, o.minutes * 60
    next_check, losses, cells = time.time() + min(60, o.every * 60), [], 0
    mixture = Mixture([(real, o.batch - n_made, o.strength), (made, n_made, o.synthetic_strength)], o.seed * 1000003 + step, o.spliced)
    batches = iter(torch.utils.data.DataLoader(mixture, batch_size=None, num_workers=o.workers, prefetch_factor=4))
    if o.narrow:
        batches = in_windows(batches, np.random.default_rng(o.seed))

    def checkpoint():
        save(os.path.join(o.run, "last.pt"), dict(
            model=model.state_dict(), average=average.state, optimiser=optimiser.state_dict(), shape=shape, step=step,
            spent=time.time() - began, random=torch.get_rng_state(), symbols=SYMBOLS, options=vars(o)))

    def validate(rate):
        judge.load_state_dict(average.state)
        exact = reader_exact(greedy(log_probabilities(judge, validation, device)), validation) if len(validation) else {}
        line = dict(minutes=round((time.time() - began) / 60, 1), step=step, cells=cells, rate=f"{rate:.2e}",
                    loss=round(float(np.mean(losses[-400:])), 4), **{k: round(v, 4) for k, v in exact.items()})
        path = os.path.join(o.run, "curve.csv")
        new = not os.path.exists(path)
        with open(path, "a", newline="") as f:
            w = csv.DictWriter(f, line)
            if new:
                w.writeheader()
            w.writerow(line)
        print(" ".join(f"{k}={v}" for k, v in line.items()), flush=True)

    while not stopped:
        done = (time.time() - began) / total
        if done >= 1:
            break
        rate = o.rate * min(1, (step + 1) / 150) * (0.5 + 0.5 * math.cos(math.pi * done))
        for group in optimiser.param_groups:
            group["lr"] = rate
        grey, labels = next(batches)
        ink = as_ink(grey.to(device)).contiguous(memory_format=torch.channels_last)
        model.train()
        with torch.autocast(device.type, torch.bfloat16):
            log_probs = model(ink)
        loss = F.ctc_loss(log_probs.transpose(0, 1), torch.tensor([k for l in labels for k in l], device=device),
                          torch.full((len(labels),), log_probs.shape[1], dtype=torch.long), torch.tensor([len(l) for l in labels]),
                          zero_infinity=True)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        average.update(model)
        step, cells = step + 1, cells + len(labels)
        losses.append(loss.item())
        if step % 100 == 0:
            print(f"step {step} loss {np.mean(losses[-100:]):.4f} {cells / (time.time() - began - spent):.0f} cells/s", flush=True)
        if time.time() > next_check:
            validate(rate)
            checkpoint()
            next_check = time.time() + o.every * 60
    checkpoint()
    validate(0.0)


if __name__ == "__main__":
    main()
