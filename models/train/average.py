"""Averages the weights of two checkpoints, the second of which began with the first: often better than either.

    python average.py CHECKPOINT CHECKPOINT [--weights 0.4 0.6] --out FILE

See Wortsman et al. 2022, "Model soups".
"""
import argparse

import torch


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("checkpoints", nargs="+"), a.add_argument("--out", required=True)
    a.add_argument("--weights", nargs="*", type=float, help="of the checkpoints; all alike if left out")
    o = a.parse_args()
    weights = o.weights or [1 / len(o.checkpoints)] * len(o.checkpoints)
    states = [torch.load(path, map_location="cpu", weights_only=False) for path in o.checkpoints]
    mean = dict(states[-1])
    mean["average"] = {
        name: sum(w * s["average"][name] for w, s in zip(weights, states)) if value.dtype.is_floating_point else value
        for name, value in mean["average"].items()
    }
    torch.save(mean, o.out)


if __name__ == "__main__":
    main()
