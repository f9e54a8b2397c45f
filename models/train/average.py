"""Averages the weights of two checkpoints, the second of which began with the first: often better than either.

    python average.py CHECKPOINT CHECKPOINT --out FILE

See Wortsman et al. 2022, "Model soups".
"""
import argparse

import torch


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("checkpoints", nargs="+"), a.add_argument("--out", required=True)
    o = a.parse_args()
    states = [torch.load(path, map_location="cpu", weights_only=False) for path in o.checkpoints]
    mean = dict(states[-1])
    mean["average"] = {
        name: sum(s["average"][name] for s in states) / len(states) if value.dtype.is_floating_point else value
        for name, value in mean["average"].items()
    }
    torch.save(mean, o.out)


if __name__ == "__main__":
    main()
