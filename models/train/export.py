"""Writes a recogniser that the program loads, models/recogniser.onnx or models/second_pass.onnx, and its card beside it.

    python export.py CHECKPOINT --out .. --cells DIR... --trained-on "..." [--name second_pass --half] [--note "..."]

Batch norms are folded into the convolutions, with --half weights are kept as 16-bit floats, the output is checked against onnxruntime, and with --cells the card
gets the held-out figures and the temperature by which log-probabilities are divided to be calibrated.
"""
import argparse
import hashlib
import json
import os

import numpy as np
import onnx
import onnxruntime
import torch
from torch.nn import functional as F

from alphabet import SYMBOLS
from cells import as_ink
from decode import beam, greedy
from evaluate import load, validation
from model import STEPS, cost, folded
from train import log_probabilities, reader_exact

# Values from which a weight counts as large.
LARGE = 64
# What is put behind the name of a weight of 16 bits.
HALF = "_half"
LICENCE = "see models/README.md"


def temperature(scores, pack):
    """The temperature at which the labels are likeliest."""
    labels = torch.tensor([k for l in pack.labels for k in l])
    lengths, steps = torch.tensor([len(l) for l in pack.labels]), torch.full((len(pack),), STEPS)
    losses = {t: F.ctc_loss((scores / t).log_softmax(2).transpose(0, 1), labels, steps, lengths, zero_infinity=True).item()
              for t in np.arange(.7, 2.01, .05).round(2).tolist()}
    return min(losses, key=losses.get)


def halve(path):
    """Keeps the large weights of an ONNX file as 16-bit floats, each with a cast to 32 bits behind it."""
    model = onnx.load(path)
    graph, casts = model.graph, []
    for tensor in graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < LARGE:
            continue
        name = tensor.name
        tensor.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), name + HALF))
        casts.append(onnx.helper.make_node("Cast", [name + HALF], [name], to=onnx.TensorProto.FLOAT))
    nodes = casts + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("checkpoint"), a.add_argument("--out", default=".."), a.add_argument("--cells", nargs="*", default=[])
    a.add_argument("--check", nargs="*", default=[]), a.add_argument("--trained-on", default="made-up cells")
    a.add_argument("--note"), a.add_argument("--licence", default=LICENCE)
    a.add_argument("--name", default="recogniser"), a.add_argument("--half", action="store_true"), a.add_argument("--threads", type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    model, state = load(o.checkpoint)
    if o.half:
        for p in model.parameters():
            p.data = p.data.half().float() if p.numel() >= LARGE else p.data
    macs, parameters = cost(model)
    plain_model = folded(model)
    path = os.path.join(o.out, o.name + ".onnx")
    torch.onnx.export(plain_model, torch.zeros(1, 1, 48, 192), path, dynamo=False, opset_version=17, do_constant_folding=not o.half,
                      input_names=["ink"],
                      output_names=["log_probs"], dynamic_axes={"ink": {0: "batch", 3: "width"}, "log_probs": {0: "batch", 1: "steps"}})
    if o.half:
        halve(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    pack = validation(o.cells, o.check)
    grey = torch.from_numpy(np.stack([pack.picture(i) for i in range(min(16, len(pack)))])) if len(pack) else \
        torch.randint(0, 256, (4, 48, 192), dtype=torch.uint8)
    with torch.inference_mode():
        expected = model(as_ink(grey)).numpy()
    gap = max(float(np.abs(session.run(None, {"ink": as_ink(grey[i:i + 1]).numpy()})[0][0] - expected[i])[expected[i] > -12].max())
              for i in range(len(grey)))
    print(f"onnxruntime differs by {gap:.1e} at most")
    if gap > 1e-3:
        raise SystemExit("the exported model does not agree with the checkpoint")
    figures, heat = {}, 1.0
    if len(pack):
        scores = log_probabilities(model.to(memory_format=torch.channels_last), pack, torch.device("cpu"))
        figures = dict(reader_exact_best_path={k: round(v, 4) for k, v in reader_exact(greedy(scores), pack).items()},
                       reader_exact_beam={k: round(v, 4) for k, v in reader_exact([beam(s) for s in scores], pack).items()},
                       held_out_cells=len(pack))
        heat = temperature(scores, pack)
    card = dict(file=o.name + ".onnx", sha256=hashlib.sha256(open(path, "rb").read()).hexdigest(), alphabet=SYMBOLS, blank=0,
                input=dict(name="ink", height=48, width=192, scale=1 / 255, ink_is=1.0, formula="(255 - grey) / 255",
                           row_band=[9, 39]),
                output=dict(name="log_probs", shape=["batch", STEPS, len(SYMBOLS) + 1]), steps=STEPS, temperature=heat,
                shape=state["shape"], multiply_adds=macs, parameters=parameters, trained_on=o.trained_on,
                training=dict(steps=state["step"], minutes=round(state["spent"] / 60, 1)), figures=figures, licence=o.licence)
    if o.note:
        card["note"] = o.note
    with open(os.path.join(o.out, o.name + ".json"), "w", encoding="utf-8") as f:
        json.dump(card, f, indent=1, ensure_ascii=False)
        f.write("\n")
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB, {figures}, temperature {heat}")


if __name__ == "__main__":
    main()
