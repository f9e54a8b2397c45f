"""Makes a checkpoint of a released model file, to go on training from.

    python unfold.py ../recogniser.onnx --cells DIR... --out FILE
    python unfold.py ../second_pass.onnx --shape pretrained --out FILE

The second has its weights by name.  The first has its batch norms folded into the convolutions.  Each is taken out again: the mean and deviation of what the
convolution gives on some of the cells, and the scale and shift that undo them, so that the checkpoint reads as the file does.
"""
import argparse

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from alphabet import CLASSES, SYMBOLS
from cells import Pack, as_ink
from export import HALF
from model import Convolution, Recogniser, build

CELLS = 2000


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("model"), a.add_argument("--cells", nargs="*"), a.add_argument("--out", required=True)
    a.add_argument("--shape", default="flatter")
    o = a.parse_args()
    weights = {w.name: torch.from_numpy(numpy_helper.to_array(w).copy()) for w in onnx.load(o.model).graph.initializer}
    if o.shape == "pretrained":
        state = {name.removesuffix(HALF): w.float() for name, w in weights.items()}
        state = {name: state[name] for name in build(CLASSES, o.shape).state_dict()}
        torch.save(dict(average=state, shape=o.shape, symbols=SYMBOLS, step=0, spent=0.0), o.out)
        return
    model = Recogniser(CLASSES, o.shape).eval()
    named = {name: layer for name, layer in model.named_modules() if isinstance(layer, Convolution)}
    with torch.no_grad():
        for name, layer in named.items():
            layer[0].weight.copy_(weights[f"{name}.weight"])
            layer[1].bias.copy_(weights[f"{name}.bias"])
            layer[1].eps = 0.0                                     # with mean 0 and deviation 1: adds the shift alone
        model.out.weight.copy_(weights["out.weight"]), model.out.bias.copy_(weights["out.bias"])
    seen = {name: [] for name in named}
    for name, layer in named.items():
        layer[0].register_forward_hook(lambda _, __, out, name=name: seen[name].append(
            (out.mean((0, 2, 3)), out.square().mean((0, 2, 3)))))
    pack = Pack(o.cells)
    some = np.random.default_rng(1).choice(len(pack), min(CELLS, len(pack)), replace=False)
    with torch.inference_mode():
        for i in range(0, len(some), 100):
            model(as_ink(torch.from_numpy(np.stack([pack.picture(n) for n in some[i:i + 100]]))))
    state, eps = model.state_dict(), torch.nn.BatchNorm2d(1).eps
    for name in named:
        mean, square = (torch.stack(values).mean(0) for values in zip(*seen[name]))
        variance = square - mean.square()
        state[f"{name}.1.running_mean"], state[f"{name}.1.running_var"] = mean, variance
        state[f"{name}.1.weight"], state[f"{name}.1.bias"] = (variance + eps).sqrt(), mean + weights[f"{name}.bias"]
    torch.save(dict(average=state, shape=o.shape, symbols=SYMBOLS, step=0, spent=0.0), o.out)


if __name__ == "__main__":
    main()
