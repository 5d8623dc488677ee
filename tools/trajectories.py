#!/usr/bin/env python3
"""Makes tests/trajectories.json: ten training steps of eight networks, computed by PyTorch.

  tools/trajectories.py                  # compute, write the file
  tools/trajectories.py --check          # compute, compare with the file
  tools/trajectories.py --only lenet     # one network, on the screen

The networks are written down here a second time, from their published descriptions, in another
framework, so that a mistake in the engine or the zoo has no twin. tests/trajectory_test.cc trains the
same networks from the same start and must meet every loss and every first gradient.

Nothing is drawn at random and no weights are stored: every number at the start is a formula.
  u(i, s)   = ((i + 10007 (s + 1)) ** 3 mod 65537 - 32768) / 32768
              65537 is a prime that is 2 mod 3, so that cubing permutes the residues: values are
              spread evenly over [-1, 1] and are exact in float32.
  images    = u(i, 0), i the row-major index in {batch, channels, rows, columns}
  labels    = (7 n + 3) mod classes for the n-th image
  weights   = sqrt(6 / fan_in) u(i, p + 1) for parameter number p in the order of creation, i the
              row-major index in {out, in per group, rows, columns} or {out, in}; the root is
              rounded to float32 before the product; fan_in = elements / out
  bias           = u(i, p + 1) / 8
  scale, shift   = 1/2 + u(i, p + 1) / 8: batch norm's, so that about one unit in six is below zero.
              Around 1 and 0, where training starts, half of them are: small batches then make deep
              networks so chaotic that float32 leaves float64 within two steps.
Dropout is off and batch norm uses the statistics of the batch.

The truth is float64. Four runs in float32, whose images differ in the last bit, show how far rounding
alone carries each figure; the file keeps the largest deviation beside the truth, and the test's
tolerances are built on it.
"""

import argparse
import json
import math
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

FILE = Path(__file__).resolve().parent.parent / "tests" / "trajectories.json"
STEPS = 10
FLOAT32_RUNS = 4
CLASSES = 10


def u(count, stream):
    t = (torch.arange(count, dtype=torch.int64) + 10007 * (stream + 1)) % 65537
    return (t * t * t % 65537 - 32768).to(torch.float32) / 32768


def start_value(role, shape, number):
    values = u(math.prod(shape), number + 1)
    if role == "weights":
        values *= torch.tensor(math.sqrt(6 / math.prod(shape[1:])), dtype=torch.float32)
    else:
        values = values / 8 + (0 if role == "bias" else 0.5)
    return values.reshape(shape)


# --- The vocabulary -------------------------------------------------------------------------------

VALID, SAME, CENTRED = "valid", "same", "centred"


def margins(size, kernel, stride, border):
    """Pixels of padding before and after. SAME is TensorFlow's, CENTRED pads by the kernel alone."""
    if border == VALID:
        return 0, 0
    if border == CENTRED:
        return (kernel - 1) // 2, kernel // 2
    total = max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def padded(x, kernel, stride, border, value=0.0):
    rows = margins(x.shape[2], kernel[0], stride, border)
    columns = margins(x.shape[3], kernel[1], stride, border)
    return F.pad(x, (*columns, *rows), value=value)


def max_pool(x, kernel, stride=2, border=VALID):
    return F.max_pool2d(padded(x, (kernel, kernel), stride, border, -math.inf), kernel, stride)


def average_pool(x, kernel, stride=2, border=VALID):
    """Over the pixels inside the image."""
    def mean(t):
        return F.avg_pool2d(padded(t, (kernel, kernel), stride, border), kernel, stride)
    return mean(x) / mean(torch.ones_like(x))


def global_mean(x):
    return x.mean(dim=(2, 3))


def local_response_norm(x, radius, alpha, beta, bias):
    squares = F.pad(x * x, (0, 0, 0, 0, radius, radius))
    total = sum(squares[:, i:i + x.shape[1]] for i in range(2 * radius + 1))
    return x / (bias + alpha * total) ** beta


@dataclass
class Parameter:
    name: str
    role: str
    tensor: torch.Tensor


class Network:
    """The first pass through a description makes its parameters, later ones meet them in order."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.parameters = []

    def run(self, describe, images):
        self.met = 0
        self.layers = Counter()
        return describe(self, images)

    def _layer(self, kind):
        self.layers[kind] += 1
        return f"{kind}{self.layers[kind]}"

    def _parameter(self, layer, role, shape):
        number = self.met
        self.met += 1
        if number == len(self.parameters):
            tensor = start_value(role, shape, number).to(self.dtype).requires_grad_()
            self.parameters.append(Parameter(f"{layer}/{role}", role, tensor))
        return self.parameters[number].tensor

    def conv(self, x, filters, kernel, stride=1, border=SAME, bias=False, groups=1):
        layer = self._layer("conv")
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        weights = self._parameter(layer, "weights", (filters, x.shape[1] // groups, *kernel))
        shift = self._parameter(layer, "bias", (filters,)) if bias else None
        return F.conv2d(padded(x, kernel, stride, border), weights, shift, stride, groups=groups)

    def batch_norm(self, x, epsilon, scale):
        layer = self._layer("batch_norm")
        gamma = self._parameter(layer, "scale", (x.shape[1],)) if scale else None
        beta = self._parameter(layer, "shift", (x.shape[1],))
        return F.batch_norm(x, None, None, gamma, beta, training=True, eps=epsilon)

    def dense(self, x, units):
        layer = self._layer("dense")
        x = x.flatten(1)
        weights = self._parameter(layer, "weights", (units, x.shape[1]))
        return F.linear(x, weights, self._parameter(layer, "bias", (units,)))


# --- The networks ---------------------------------------------------------------------------------

def lenet(net, x):
    x = max_pool(F.relu(net.conv(x, 32, 5, bias=True)), 2)
    x = max_pool(F.relu(net.conv(x, 64, 5, bias=True)), 2)
    return net.dense(F.relu(net.dense(x, 512)), CLASSES)


def alexnet_cifar(net, x):
    def norm(t):
        return local_response_norm(t, radius=4, alpha=0.001 / 9, beta=0.75, bias=1.0)
    x = norm(max_pool(F.relu(net.conv(x, 64, 5, bias=True)), 3, border=SAME))
    x = max_pool(norm(F.relu(net.conv(x, 64, 5, bias=True))), 3, border=SAME)
    x = F.relu(net.dense(x, 384))
    x = F.relu(net.dense(x, 192))
    return net.dense(x, CLASSES)


def vgg11(net, x):
    for filters, count in (64, 1), (128, 1), (256, 2), (512, 2), (512, 2):
        for _ in range(count):
            x = F.relu(net.conv(x, filters, 3, bias=True))
        x = max_pool(x, 2)
    x = F.relu(net.dense(x, 4096))
    x = F.relu(net.dense(x, 4096))
    return net.dense(x, CLASSES)


def resnet_conv(net, x, filters, kernel, stride=1, border=SAME):
    return net.batch_norm(net.conv(x, filters, kernel, stride, border), epsilon=1e-5, scale=True)


def resnet20(net, x):
    x = resnet_conv(net, x, 16, 3)
    for filters in 16, 32, 64:
        for block in range(3):
            stride = 2 if filters > 16 and block == 0 else 1
            more = (filters - x.shape[1]) // 2
            shortcut = F.pad(x[:, :, ::stride, ::stride], (0, 0, 0, 0, more, more))
            y = F.relu(resnet_conv(net, x, filters, 3, stride))
            x = F.relu(shortcut + resnet_conv(net, y, filters, 3))
    return net.dense(global_mean(x), CLASSES)


def resnet50(net, x):
    x = max_pool(F.relu(resnet_conv(net, x, 64, 7, 2, CENTRED)), 3, border=SAME)
    for depth, count in (256, 3), (512, 4), (1024, 6), (2048, 3):
        for block in range(count):
            stride = 2 if depth > 256 and block == 0 else 1
            shortcut = resnet_conv(net, x, depth, 1, stride) if block == 0 else x
            y = F.relu(resnet_conv(net, x, depth // 4, 1, stride))
            y = F.relu(resnet_conv(net, y, depth // 4, 3))
            x = F.relu(shortcut + resnet_conv(net, y, depth, 1))
    return net.dense(global_mean(x), CLASSES)


def densenet40_k12(net, x):
    """With tf_cnn_benchmarks' slip: a transition narrows to 24 channels, not to the block's width."""
    growth = 12

    def norm_relu(t):
        return F.relu(net.batch_norm(t, epsilon=1e-5, scale=True))
    x = net.conv(x, 16, 3, bias=True)
    for block in range(3):
        for _ in range(12):
            x = torch.cat([x, net.conv(norm_relu(x), growth, 3, bias=True)], dim=1)
        if block < 2:
            x = average_pool(F.relu(net.conv(norm_relu(x), 2 * growth, 1, bias=True)), 2)
    return net.dense(global_mean(norm_relu(x)), CLASSES)


def mobilenet(net, x):
    def conv(t, filters, kernel, stride=1, groups=1):
        y = net.conv(t, filters, kernel, stride, CENTRED, groups=groups)
        return net.batch_norm(y, epsilon=1e-5, scale=True)
    x = F.relu6(conv(x, 32, 3, 2))
    for expansion, filters, count, first_stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                    (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(count):
            stride = first_stride if block == 0 else 1
            wide = x.shape[1] * expansion
            y = F.relu6(conv(x, wide, 1)) if expansion > 1 else x
            y = conv(F.relu6(conv(y, wide, 3, stride, groups=wide)), filters, 1)
            x = x + y if stride == 1 and x.shape[1] == filters else y
    return net.dense(global_mean(F.relu6(conv(x, 1280, 1))), CLASSES)


def inception3(net, x):
    def conv(t, filters, kernel, stride=1, border=SAME):
        return F.relu(net.batch_norm(net.conv(t, filters, kernel, stride, border), 1e-3, scale=False))

    def tower(t, *layers):
        for layer in layers:
            t = conv(t, *layer)
        return t

    def join(*branches):
        return torch.cat(branches, dim=1)

    def down(filters):
        return filters, 3, 2, VALID

    def around(t, pool=average_pool):
        return pool(t, 3, 1, SAME)

    x = tower(x, down(32), (32, 3, 1, VALID), (64, 3))
    x = tower(max_pool(x, 3), (80, 1, 1, VALID), (192, 3, 1, VALID))
    x = max_pool(x, 3)
    for n in 32, 64, 64:
        x = join(conv(x, 64, 1), tower(x, (48, 1), (64, 5)), tower(x, (64, 1), (96, 3), (96, 3)),
                 conv(around(x), n, 1))
    x = join(conv(x, *down(384)), tower(x, (64, 1), (96, 3), down(96)), max_pool(x, 3))
    for n in 128, 160, 160, 192:
        x = join(conv(x, 192, 1), tower(x, (n, 1), (n, (1, 7)), (192, (7, 1))),
                 tower(x, (n, 1), (n, (7, 1)), (n, (1, 7)), (n, (7, 1)), (192, (1, 7))),
                 conv(around(x), 192, 1))
    x = join(tower(x, (192, 1), down(320)), tower(x, (192, 1), (192, (1, 7)), (192, (7, 1)), down(192)),
             max_pool(x, 3))
    for pool in average_pool, max_pool:
        one, arm, long_arm = conv(x, 320, 1), conv(x, 384, 1), tower(x, (448, 1), (384, 3))
        x = join(one, conv(arm, 384, (1, 3)), conv(arm, 384, (3, 1)), conv(long_arm, 384, (1, 3)),
                 conv(long_arm, 384, (3, 1)), conv(around(x, pool), 192, 1))
    return net.dense(global_mean(x), CLASSES)


# --- The runs -------------------------------------------------------------------------------------

@dataclass
class Run:
    describe: object
    image_size: int
    batch: int
    learning_rate: float
    momentum: float = 0.0
    nesterov: bool = False
    weight_decay: float = 0.0  # not on batch norm

    @property
    def model(self):
        return self.describe.__name__


RUNS = [
    Run(lenet, 28, 8, 0.002),
    Run(alexnet_cifar, 32, 8, 0.002),
    # Ten steps would not show the usual weight decay of 4e-5.
    Run(resnet20, 32, 8, 0.002, momentum=0.9, nesterov=True, weight_decay=0.1),
    Run(densenet40_k12, 32, 8, 0.01),
    Run(mobilenet, 32, 8, 3e-5, momentum=0.9),
    Run(resnet50, 80, 4, 1e-4),
    Run(inception3, 139, 4, 5e-6),
    Run(vgg11, 32, 8, 1e-4),
]


def train(run, dtype, brightness=1.0):
    """Ten losses, and each parameter's first gradient: its norm, and its product with u(i, p + 1)."""
    images = u(run.batch * 3 * run.image_size**2, 0).to(dtype) * brightness
    images = images.reshape(run.batch, 3, run.image_size, run.image_size)
    labels = torch.tensor([(7 * n + 3) % CLASSES for n in range(run.batch)])
    net = Network(dtype)
    losses, gradients, optimizer = [], [], None
    for step in range(STEPS):
        loss = F.cross_entropy(net.run(run.describe, images), labels)
        losses.append(loss.item())
        optimizer = optimizer or make_optimizer(run, net.parameters)
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            for number, p in enumerate(net.parameters):
                g = p.tensor.grad.flatten().to(torch.float64)
                gradients.append((g.norm().item(), (g @ u(g.numel(), number + 1).double()).item()))
        optimizer.step()
    return net.parameters, losses, gradients


def make_optimizer(run, parameters):
    groups = [{"params": [p.tensor], "weight_decay": run.weight_decay if p.role in ("weights", "bias") else 0}
              for p in parameters]
    return torch.optim.SGD(groups, lr=run.learning_rate, momentum=run.momentum, nesterov=run.nesterov)


def gradient_deviation(got, truth):
    """The largest, relative to the tensor's norm and a thousandth of the whole gradient's: a bias
    in front of a batch norm has no gradient but rounding."""
    whole = math.hypot(*(norm for norm, _ in truth))
    return max(max(abs(a_norm - norm), abs(an_along - along)) / (norm + whole / 1000)
               for (a_norm, an_along), (norm, along) in zip(got, truth))


def rounded(x, digits):
    return float(f"{x:.{digits}g}")


def compute(run):
    parameters, losses, gradients = train(run, torch.float64)
    rounded_runs = [train(run, torch.float32, 1 + k * 2.0**-23) for k in range(FLOAT32_RUNS)]
    return {
        "model": run.model,
        "image_size": run.image_size,
        "batch": run.batch,
        "classes": CLASSES,
        "learning_rate": run.learning_rate,
        "momentum": run.momentum,
        "nesterov": run.nesterov,
        "weight_decay": run.weight_decay,
        "losses": [rounded(x, 10) for x in losses],
        "losses_deviation": [rounded(max(abs(got[step] - losses[step]) for _, got, _ in rounded_runs), 2)
                             for step in range(STEPS)],
        "gradients_deviation": rounded(max(gradient_deviation(got, gradients) for *_, got in rounded_runs), 2),
        "gradients": [
            {"name": p.name, "shape": list(p.tensor.shape), "norm": rounded(norm, 8), "along": rounded(along, 8)}
            for p, (norm, along) in zip(parameters, gradients)],
    }


def show(entry):
    print(f"{entry['model']}: image {entry['image_size']}, batch {entry['batch']}, "
          f"{len(entry['gradients'])} tensors, gradients deviate by {entry['gradients_deviation']:.1e}")
    for loss, deviation in zip(entry["losses"], entry["losses_deviation"]):
        print(f"  {loss:.9f} deviates by {deviation:.1e}", flush=True)


def differences(entry, committed):
    """What the committed float64 figures and a fresh run do not share."""
    if committed is None:
        return [f"{entry['model']} is not in the file"]
    exact = ("image_size", "batch", "classes", "learning_rate", "momentum", "nesterov", "weight_decay")
    found = [f"{entry['model']}: {key}" for key in exact if entry[key] != committed[key]]
    if not all(math.isclose(a, b, rel_tol=1e-7) for a, b in zip(entry["losses"], committed["losses"], strict=True)):
        found.append(f"{entry['model']}: losses")
    whole = math.hypot(*(g["norm"] for g in entry["gradients"]))
    for a, b in zip(entry["gradients"], committed["gradients"], strict=True):
        same = (a["name"], a["shape"]) == (b["name"], b["shape"]) and all(
            math.isclose(a[key], b[key], rel_tol=1e-6, abs_tol=1e-9 * whole) for key in ("norm", "along"))
        if not same:
            found.append(f"{entry['model']}: gradient of {a['name']}")
    return found


def pretty(value, levels, margin="\n"):
    """JSON with an item per line in the outer levels: readable in a diff."""
    if levels == 0 or not isinstance(value, (dict, list)):
        return json.dumps(value)
    inner = margin + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {pretty(item, levels - 1, inner)}" for key, item in value.items()]
        return "{" + inner + ("," + inner).join(items) + margin + "}"
    return "[" + inner + ("," + inner).join(pretty(item, levels - 1, inner) for item in value) + margin + "]"


def write(entries):
    file = {"made_by": f"tools/trajectories.py with PyTorch {torch.__version__}", "runs": entries}
    FILE.write_text(pretty(file, levels=4) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="compare with the committed file")
    arguments.add_argument("--only", metavar="MODEL", help="this network alone, on the screen")
    options = arguments.parse_args()
    runs = [run for run in RUNS if options.only in (None, run.model)]
    if not runs:
        sys.exit(f"error: no run of {options.only}; known: {', '.join(run.model for run in RUNS)}")
    entries = []
    for run in runs:
        entries.append(compute(run))
        show(entries[-1])
    if options.check:
        committed = {entry["model"]: entry for entry in json.loads(FILE.read_text())["runs"]}
        found = [line for entry in entries for line in differences(entry, committed.get(entry["model"]))]
        sys.exit("\n".join(["differs from the file:", *found]) if found else 0)
    if not options.only:
        write(entries)


if __name__ == "__main__":
    main()
