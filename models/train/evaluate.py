"""How well a checkpoint reads held-out cells, and what it confuses.

    python evaluate.py CHECKPOINT --cells DIR... [--check DIR...] [--beam] [--errors 30]
"""
import argparse
import collections
import difflib

import torch

from alphabet import CLASSES, plain
from cells import Pack
from decode import beam, greedy
from model import build
from split import held_out
from train import log_probabilities, reader_exact, with_signs


def load(checkpoint):
    """The averaged model of a checkpoint."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=False)
    model = build(CLASSES, state["shape"])
    model.load_state_dict(with_signs(state["average"], state["symbols"]))
    return model.eval(), state


def validation(cells, check=()):
    return Pack(list(cells) + list(check), lambda r: held_out(r["set"], r["game"]) or r["set"].startswith("synthetic"))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("checkpoint"), a.add_argument("--cells", nargs="*", default=[]), a.add_argument("--check", nargs="*", default=[])
    a.add_argument("--beam", action="store_true"), a.add_argument("--errors", type=int, default=30)
    a.add_argument("--threads", type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    model, _ = load(o.checkpoint)
    pack = validation(o.cells, o.check)
    scores = log_probabilities(model.to(memory_format=torch.channels_last), pack, torch.device("cpu"))
    texts = greedy(scores)
    print("best path", reader_exact(texts, pack))
    if o.beam:
        texts = [beam(s) for s in scores]
        print("beam     ", reader_exact(texts, pack))
    pages, swaps, wrong = collections.defaultdict(list), collections.Counter(), []
    for text, row in zip(texts, pack.rows):
        have, want = plain(text), plain(row["text"])
        pages[row["set"], row["page"]].append(have == want)
        if have != want:
            wrong.append(f"{row['set']} {row['page']} {row['number']} {row['colour']}: {row['text']} read {text}")
            for tag, i, j, k, l in difflib.SequenceMatcher(None, want, have, False).get_opcodes():
                if tag != "equal":
                    swaps[want[i:j], have[k:l]] += 1
    print("worst pages", [(p[1], round(sum(v) / len(v), 2), len(v)) for p, v in sorted(pages.items(), key=lambda i: sum(i[1]) / len(i[1]))[:15]])
    print("written -> read:", ", ".join(f"{w or '_'}->{r or '_'} {n}" for (w, r), n in swaps.most_common(40)))
    print("\n".join(wrong[:: max(1, len(wrong) // max(o.errors, 1))][: o.errors]))


if __name__ == "__main__":
    main()
