#!/usr/bin/env python3
"""Times training steps of PyTorch on the CPU: the other side of bench/against_torch.

  bench/torch_peer.py resnet50_v1.5 --batch 16 --threads 2 --steps 10 --layout channels_last

Synthetic images, SGD with momentum 0.9 and weight decay 4e-5. Prints one line of JSON with the
seconds of every step and the peak of resident memory. Networks carry our names and are the same on
both sides, 1001 classes included.

PyTorch returns the memory of large activations to the kernel at every step and pays for page faults
to get it back, 15-35 % of the time. That is a setting, not a property, so this program starts itself
once more under an allocator that keeps its memory.
"""

import argparse
import json
import os
import resource
import sys
import time

ALLOCATOR = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "-1",
    "MALLOC_TOP_PAD_": str(256 << 20),
}
CLASSES = 1001
LAYOUTS = ("contiguous", "channels_last")


def alexnet():
    """tf_cnn_benchmarks' own: one tower on 227 pixels, wider than torchvision's, no response norm."""
    from torch import nn

    layers, channels = [], 3

    def conv(filters, kernel, stride=1, padding=0):
        nonlocal channels
        layers.extend([nn.Conv2d(channels, filters, kernel, stride, padding), nn.ReLU(inplace=True)])
        channels = filters

    conv(64, 11, stride=4)
    layers.append(nn.MaxPool2d(3, 2))
    conv(192, 5, padding=2)
    layers.append(nn.MaxPool2d(3, 2))
    for filters in 384, 384, 256:
        conv(filters, 3, padding=1)
    layers.extend([nn.MaxPool2d(3, 2), nn.Flatten()])
    for features in 256 * 6 * 6, 4096:
        layers.extend([nn.Linear(features, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5)])
    return nn.Sequential(*layers, nn.Linear(4096, CLASSES))


def torchvision_model(name, **options):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None, num_classes=CLASSES, **options)
    return make


# Our name: how PyTorch makes it, pixels a side. torchvision strides in the 3x3 of a block: v1.5.
MODELS = {
    "resnet50_v1.5": (torchvision_model("resnet50"), 224),
    "inception3": (torchvision_model("inception_v3", aux_logits=False, init_weights=False), 299),
    "vgg16": (torchvision_model("vgg16"), 224),
    "alexnet": (alexnet, 227),
}


def measure(options):
    import torch

    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    make, size = MODELS[options.model]
    network = make().train()
    images = torch.randn(options.batch, 3, size, size)
    labels = torch.randint(CLASSES, (options.batch,))
    if options.layout == "channels_last":
        network = network.to(memory_format=torch.channels_last)
        images = images.contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, weight_decay=4e-5)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()

    for _ in range(options.warmup):
        step()
    seconds = []
    for _ in range(options.steps):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    return {
        "peer": f"PyTorch {torch.__version__}",
        "model": options.model,
        "batch": options.batch,
        "threads": options.threads,
        "layout": options.layout,
        "step_seconds": seconds,
        "rss_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--batch", type=int, default=16, help="images per step (default: 16)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all processors")
    parser.add_argument("--steps", type=int, default=10, help="timed steps (default: 10)")
    parser.add_argument("--warmup", type=int, default=2, help="steps before them (default: 2)")
    parser.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[0])
    options = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ALLOCATOR})
    print(json.dumps(measure(options)))


if __name__ == "__main__":
    main()
