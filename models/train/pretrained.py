"""A second recogniser that begins with what PP-OCRv6 (small, Apache-2.0) knows of writing in general.

Its layers are read from the ONNX file of the Python package rapidocr: a stem that quarters the picture, three stages of
blocks (a convolution of each channel, then two across channels) and two layers of attention along the line.  What is
changed: one channel of ink instead of three of colour, SiLU instead of GELU, a step for every four pixels instead of eight,
and of the 18,708 signs of its last layer those of our alphabet.  Input and output are those of model.py.
"""
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

from alphabet import CLASSES, SYMBOLS

WIDTHS = (96, 192, 384)
BLOCKS = (3, 6, 2)
LINE, HEADS = 120, 8
# gelu(x) is nearly silu(GELU x) / GELU (Hendrycks and Gimpel 2016).
GELU = 1.702


class Attend(nn.Module):
    """How much each channel counts in this picture."""

    def __init__(self, channels):
        super().__init__()
        self.less, self.more = nn.Conv2d(channels, channels // 4, 1), nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        return x * F.hardsigmoid(self.more(self.less(x.mean((2, 3), keepdim=True)).relu()))


class Block(nn.Module):
    def __init__(self, i, o, attends=False):
        super().__init__()
        self.same = i == o
        self.each = nn.Conv2d(i, i, 3, 1 if self.same else (2, 1), 1, groups=i)
        self.attend = Attend(i) if attends else nn.Identity()
        self.wide, self.narrow = nn.Conv2d(i, 2 * i if self.same else o, 1), nn.Conv2d(2 * i if self.same else o, o, 1)

    def forward(self, x):
        x = self.attend(self.each(x))
        y = self.narrow(F.silu(self.wide(x)))
        return x + y if self.same else y


class Along(nn.Module):
    """A layer of attention along the line."""

    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(channels, 1e-5), nn.LayerNorm(channels, 1e-5)
        self.three, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.wide, self.narrow = nn.Linear(channels, 2 * channels), nn.Linear(2 * channels, channels)

    def forward(self, x):
        n, steps, channels = x.shape
        q, k, v = self.three(self.before(x)).reshape(n, -1, 3, self.heads, channels // self.heads).permute(2, 0, 3, 1, 4)
        weight = (q * (channels // self.heads) ** -0.5 @ k.transpose(2, 3)).softmax(3)
        x = x + self.out((weight @ v).transpose(1, 2).reshape(n, -1, channels))
        return x + self.narrow(F.silu(self.wide(self.between(x))))


class Pretrained(nn.Module):
    def __init__(self, classes=CLASSES, dropout=0.1):
        super().__init__()
        self.first = nn.Conv2d(1, 48, 3, 2, 1)
        self.a, self.b = nn.Conv2d(48, 24, 2), nn.Conv2d(24, 48, 2)
        self.second, self.third = nn.Conv2d(96, 48, 3, 2, 1), nn.Conv2d(48, WIDTHS[0], 1)
        self.blocks = nn.ModuleList()
        for stage, (width, count) in enumerate(zip(WIDTHS, BLOCKS)):
            if stage:
                self.blocks.append(Block(WIDTHS[stage - 1], width))
            self.blocks.extend(Block(width, width, n % 2 == 0 and n + 1 < count) for n in range(count))
        self.skip, self.into = nn.Conv2d(WIDTHS[-1], LINE, 1), nn.Conv2d(WIDTHS[-1], LINE, 1)
        self.local = nn.Conv2d(LINE, LINE, (1, 7), 1, (0, 3), groups=LINE)
        self.along, self.norm = nn.ModuleList(Along(LINE, HEADS) for _ in range(2)), nn.LayerNorm(LINE, 1e-6)
        self.dropout, self.out = nn.Dropout(dropout), nn.Linear(LINE, classes)

    def forward(self, x):
        x = self.first(x).relu()
        padded = F.pad(x, (0, 1, 0, 1))
        y = self.b(F.pad(self.a(padded).relu(), (0, 1, 0, 1))).relu()
        x = torch.cat([F.max_pool2d(padded, 2, 1), y], 1)
        x = self.third(self.second(x).relu()).relu()
        for block in self.blocks:
            x = block(x)
        x = F.avg_pool2d(x, (3, 1))
        skip, x = F.silu(self.skip(x)), F.silu(self.into(x))
        x = (x + F.silu(self.local(x)))[:, :, 0].transpose(1, 2)
        for layer in self.along:
            x = layer(x)
        x = self.out(self.dropout(self.norm(x) + skip[:, :, 0].transpose(1, 2)))
        return F.log_softmax(x if x.dtype == torch.float32 else x.float(), 2)


def from_onnx(path):
    """The network with the weights of the ONNX file; signs that it lacks begin as the mean of all, unlikely."""
    file = onnx.load(path)
    values = {t.name: torch.from_numpy(numpy_helper.to_array(t).astype(np.float32)) for t in file.graph.initializer}
    nodes = [n for n in file.graph.node]
    for n in nodes:
        if n.op_type == "Constant":
            values[n.output[0]] = torch.from_numpy(np.asarray(numpy_helper.to_array(n.attribute[0].t)).astype(np.float32))
    same = {n.output[0]: n.input[0] for n in nodes if n.op_type == "Identity"}

    def value(name):
        while name in same:
            name = same[name]
        return values.get(name)

    users = {}
    for n in nodes:
        for name in n.input:
            users.setdefault(name, []).append(n)

    def next_of(name):
        """What is done with a result, past renamings."""
        found = users.get(name, [])
        return [m for n in found for m in (next_of(n.output[0]) if n.op_type == "Identity" else [n])]

    folded = []
    for n in nodes:
        if n.op_type != "Conv":
            continue
        weight, after = value(n.input[1]), next_of(n.output[0])[0]
        if after.op_type == "BatchNormalization":
            gamma, beta, mean, var = (value(i) for i in after.input[1:5])
            eps = next((a.f for a in after.attribute if a.name == "epsilon"), 1e-5)
            scale = gamma / (var + eps).sqrt()
            folded.append((weight * scale[:, None, None, None], beta - mean * scale))
        else:
            bias = next(v for v in map(value, after.input) if v is not None)
            folded.append((weight, bias.flatten()))
    model = Pretrained()
    order = [model.first, model.a, model.b, model.second, model.third]
    for block in model.blocks:
        attend = [block.attend.less, block.attend.more] if isinstance(block.attend, Attend) else []
        order += [block.each, *attend, block.wide, block.narrow]
    order += [model.skip, model.into, model.local]
    assert len(order) == len(folded), (len(order), len(folded))
    # grey of white paper is 1 and of ink -1 in the file: 1 - 2 ink
    weight, bias = folded[0]
    folded[0] = (-2 * weight.sum(1, keepdim=True), bias + weight.sum((1, 2, 3)))
    with torch.no_grad():
        for layer, (weight, bias) in zip(order, folded):
            assert layer.weight.shape == weight.shape, (layer, weight.shape)
            layer.weight.copy_(weight), layer.bias.copy_(bias)
        for block in model.blocks:
            block.wide.weight *= GELU
            block.wide.bias *= GELU
            block.narrow.weight /= GELU
        matrices = []
        for n in nodes:
            if n.op_type == "MatMul" and value(n.input[1]) is not None:
                add = next_of(n.output[0])[0]
                matrices.append((value(n.input[1]).T, next(v for v in map(value, add.input) if v is not None)))
        layers = [l for a in model.along for l in (a.three, a.out, a.wide, a.narrow)]
        assert len(matrices) == len(layers) + 1, len(matrices)
        for layer, (weight, bias) in zip(layers, matrices):
            layer.weight.copy_(weight), layer.bias.copy_(bias)
        scales = [value(i) for n in nodes if n.op_type == "Mul" for i in n.input if value(i) is not None and value(i).numel() == LINE]
        shifts = [value(i) for n in nodes if n.op_type == "Add" and any(m.op_type == "Mul" for m in nodes if m.output[0] in n.input)
                  for i in n.input if value(i) is not None and value(i).numel() == LINE and value(i).ndim == 1]
        norms = [l for a in model.along for l in (a.before, a.between)] + [model.norm]
        assert len(scales) == len(shifts) == len(norms), (len(scales), len(shifts))
        for norm, scale, shift in zip(norms, scales, shifts):
            norm.weight.copy_(scale), norm.bias.copy_(shift)
        weight, bias = matrices[-1]
        signs = {p.key: p.value for p in file.metadata_props}["character"].splitlines()
        at = {sign: i + 1 for i, sign in reversed(list(enumerate(signs)))}
        model.out.weight.copy_(weight[1:].mean(0).expand_as(model.out.weight))
        model.out.bias.fill_(float(bias[1:].mean()))
        model.out.weight[0], model.out.bias[0] = weight[0], bias[0]
        for i, sign in enumerate(SYMBOLS):
            if sign in at:
                model.out.weight[i + 1], model.out.bias[i + 1] = weight[at[sign]], bias[at[sign]]
    return model
