"""The recogniser: a plain residual CNN that gives, for 48 time steps, the log-probabilities of the signs (CTC).

Input (N, 1, 48, 192), ink = 1 and paper = 0, that is (255 - grey) / 255.  Output (N, 48, classes).
The height is folded into channels, not averaged, so that a sign's place on the line (9 or g, comma or apostrophe)
is not lost.  The last layers look along the line only and give each step its context.
"""
import torch
from torch import nn
from torch.nn import functional as F

from pretrained import Pretrained

SHAPES = {
    # stem, [(channels, (stride down, stride along), residual blocks)], width of the line part, its residual blocks
    "flatter": (32, [(64, (2, 2), 1), (96, (2, 1), 2)], 192, 2),
    "light": (32, [(64, (2, 2), 1), (96, (2, 1), 1)], 160, 2),
}
STEPS = 48


class Convolution(nn.Sequential):
    """Convolution and batch norm; `fold` makes one convolution of them."""

    def __init__(self, i, o, kernel, stride=1, padding=None):
        if padding is None:
            padding = tuple(k // 2 for k in kernel) if isinstance(kernel, tuple) else kernel // 2
        super().__init__(nn.Conv2d(i, o, kernel, stride, padding, bias=False), nn.BatchNorm2d(o))

    def fold(self):
        return nn.utils.fusion.fuse_conv_bn_eval(self[0], self[1])


class Residual(nn.Module):
    def __init__(self, channels, kernel=3):
        super().__init__()
        self.a, self.b = Convolution(channels, channels, kernel), Convolution(channels, channels, kernel)

    def forward(self, x):
        return self.b(self.a(x).relu_()).add_(x).relu_()


class Recogniser(nn.Module):
    def __init__(self, classes, shape="flatter", dropout=0.15):
        super().__init__()
        stem, stages, line, line_blocks = SHAPES[shape]
        self.stem = Convolution(1, stem, 5, 2)                     # 24 x 96
        self.stages, height, before = nn.ModuleList(), 24, stem
        for channels, stride, blocks in stages:
            self.stages.append(Convolution(before, channels, 3, stride))
            self.stages.extend(Residual(channels) for _ in range(blocks))
            height, before = height // stride[0], channels
        self.collapse = Convolution(before, line, (height, 3), padding=(0, 1))
        self.line = nn.ModuleList(Residual(line, (1, 5)) for _ in range(line_blocks))
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Conv2d(line, classes, 1)

    def forward(self, x):
        x = self.stem(x).relu_()
        for stage in self.stages:
            x = stage(x) if isinstance(stage, Residual) else stage(x).relu_()
        x = self.collapse(x).relu_()
        for block in self.line:
            x = block(x)
        x = self.out(self.dropout(x)).squeeze(2).transpose(1, 2)   # N, steps, classes
        return F.log_softmax(x if x.dtype == torch.float32 else x.float(), 2)


def build(classes, shape, dropout=0.0):
    """The network of that name: one of SHAPES, or what begins as PP-OCRv6."""
    if shape == "pretrained":
        return Pretrained(classes, dropout)
    return Recogniser(classes, shape, dropout)


def folded(model):
    """A copy for inference, batch norms folded into the convolutions."""
    import copy
    model = copy.deepcopy(model).eval()
    if not isinstance(model, Recogniser):
        return model
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, Convolution):
                setattr(module, name, child.fold())
    for i, stage in enumerate(model.stages):
        if isinstance(stage, Convolution):
            model.stages[i] = stage.fold()
    return model


def cost(model):
    """Multiply-adds for one cell, and parameters."""
    total, hooks = [0], []

    def count(layer, _, out):
        total[0] += out.numel() * layer.weight[0].numel()
    for layer in model.modules():
        if isinstance(layer, nn.Conv2d):
            hooks.append(layer.register_forward_hook(count))
    training = model.training
    with torch.no_grad():
        model.eval()(torch.zeros(1, 1, 48, 192))
    model.train(training)
    for h in hooks:
        h.remove()
    return total[0], sum(p.numel() for p in model.parameters())
