"""Gives exported models a second output, what their last layer sees, and gathers the weights of these layers in one file.

    python heads.py ../recogniser.onnx ../second_pass.onnx --out ../heads.bin

The output is called `features` and has the shape (batch, steps, width). The hash on the card beside each model is renewed.
The file holds for each model in turn, as little-endian 32-bit numbers: width and number of classes (integers), then
floats: the temperature of the card, the weights by feature with a value for each class, the biases.
"""
import argparse
import hashlib
import json
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """A model's graph, looked at from its end."""

    def __init__(self, model):
        self.graph = model.graph
        self.made = {name: node for node in model.graph.node for name in node.output}
        self.constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        self.constants |= {n.output[0]: numpy_helper.to_array(n.attribute[0].t) for n in model.graph.node if n.op_type == "Constant"}

    def constant(self, name):
        """The value of a weight, through casts and transpositions; none for what depends on the input."""
        if name in self.constants:
            return self.constants[name]
        node = self.made.get(name)
        if node is None or node.op_type not in ("Cast", "Transpose"):
            return None
        value = self.constant(node.input[0])
        return value if value is None or node.op_type == "Cast" else value.T

    def last_layer(self):
        """What the last layer sees (the name of a tensor), its weights (classes, width) and its biases."""
        node = self.made["log_probs"]
        bias = None
        while node.op_type in ("LogSoftmax", "Transpose", "Squeeze", "Add"):
            inputs = [name for name in node.input if self.constant(name) is None]
            bias = next((self.constant(name) for name in node.input if self.constant(name) is not None), bias) \
                if node.op_type == "Add" else bias
            node = self.made[inputs[0]]
        weights = self.constant(node.input[1]).astype(np.float32)
        if node.op_type == "MatMul":
            return node.input[0], weights.T, bias
        return node.input[0], weights.reshape(weights.shape[:2]), self.constant(node.input[2])


def with_features(path):
    """Adds the output to a model file, unless it has it; gives weights and biases."""
    model = onnx.load(path)
    seen, weights, biases = Graph(model).last_layer()
    graph = model.graph
    if all(output.name != "features" for output in graph.output):
        if any(n.op_type == "Conv" and seen in n.input for n in graph.node):
            graph.initializer.append(numpy_helper.from_array(np.array([2]), "features.axis"))
            graph.node.append(helper.make_node("Squeeze", [seen, "features.axis"], ["features.columns"]))
            graph.node.append(helper.make_node("Transpose", ["features.columns"], ["features"], perm=[0, 2, 1]))
        else:
            graph.node.append(helper.make_node("Identity", [seen], ["features"]))
        shape = ["batch", "steps", weights.shape[1]]
        graph.output.append(helper.make_tensor_value_info("features", TensorProto.FLOAT, shape))
        onnx.checker.check_model(model)
        onnx.save(model, path)
    return weights, biases


def renew(path, width):
    """Puts the hash of a model file and its second output on its card; gives the card."""
    card_path = path.removesuffix(".onnx") + ".json"
    with open(card_path, encoding="utf-8") as f:
        card = json.load(f)
    with open(path, "rb") as f:
        card["sha256"] = hashlib.sha256(f.read()).hexdigest()
    card["features"] = dict(name="features", shape=["batch", card["steps"], width])
    with open(card_path, "w", encoding="utf-8") as f:
        json.dump(card, f, indent=1, ensure_ascii=False)
        f.write("\n")
    return card


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("models", nargs="+"), a.add_argument("--out", required=True)
    o = a.parse_args()
    with open(o.out, "wb") as f:
        for path in o.models:
            weights, biases = with_features(path)
            classes, width = weights.shape
            card = renew(path, width)
            f.write(struct.pack("<IIf", width, classes, card["temperature"]))
            f.write(np.concatenate([weights.T.ravel(), biases]).astype("<f4").tobytes())
            print(f"{path}: {width} features, {classes} classes")


if __name__ == "__main__":
    main()
