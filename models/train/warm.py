"""The first few hundred steps: each sign is taught at the place where it was drawn.

From a random start CTC spends thousands of steps saying the commonest signs at the edge of the cell before it finds
that signs have places.  Made-up cells know the places (column `at`), so a plain per-step loss leads past that.
"""
import numpy as np
import torch
from torch.nn import functional as F

from cells import as_ink
from model import STEPS


def warm_up(model, pack, steps, device, seed, batch=64, rate=2e-3):
    rng = np.random.default_rng(seed)
    placed = [i for i, r in enumerate(pack.rows) if r.get("at") and len(r["at"].split()) == len(pack.labels[i])]
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    model.train()
    for step in range(steps if placed else 0):
        chosen = [placed[i] for i in rng.integers(len(placed), size=batch)]
        target = torch.zeros(batch, STEPS, dtype=torch.long)
        for row, n in enumerate(chosen):
            for x, sign in zip(pack.rows[n]["at"].split(), pack.labels[n]):
                target[row, min(max(int(x) * STEPS // 192, 0), STEPS - 1)] = sign
        ink = as_ink(torch.from_numpy(np.stack([pack.picture(n) for n in chosen])).to(device))
        with torch.autocast(device.type, torch.bfloat16):
            log_probs = model(ink.contiguous(memory_format=torch.channels_last))
        loss = F.nll_loss(log_probs.reshape(-1, log_probs.shape[2]), target.flatten().to(device))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 50)
        optimiser.step()
        if step % 50 == 49:
            print(f"warm step {step + 1} loss {loss.item():.4f}", flush=True)
