#!/usr/bin/env python3
"""Sides of bench/decode that are Python's: decode_peer.py torchvision|pillow|tensorflow DIR

From JPEG files to 3 x 224 x 224 floats from -1 to 1, by one thread: a crop, resized bilinearly, flipped
or not. Says READY, then answers every line with the seconds of a pass over all files."""

import io
import sys
import time
from pathlib import Path

SIDE = 224


def load(directory):
    """[(content, top, left, height, width, mirrored)]"""
    lines = (directory / "crops.txt").read_text().splitlines()
    return [((directory / f"{i:03}.jpg").read_bytes(), *map(int, line.split()))
            for i, line in enumerate(lines)]


def torchvision(pictures):
    import torch
    import torchvision.io
    from torchvision.transforms.v2 import functional
    torch.set_num_threads(1)
    files = [(torch.frombuffer(bytearray(file), dtype=torch.uint8), *rest) for file, *rest in pictures]

    def run():
        for file, top, left, height, width, mirrored in files:
            image = torchvision.io.decode_jpeg(file, mode=torchvision.io.ImageReadMode.RGB)
            image = functional.resized_crop(image, top, left, height, width, [SIDE, SIDE],
                                            antialias=False)
            if mirrored:
                image = functional.horizontal_flip(image)
            image.to(torch.float32).mul_(1 / 127.5).sub_(1)
    return run


def pillow(pictures):
    import torch
    from PIL import Image
    from torchvision.transforms.v2 import functional
    torch.set_num_threads(1)

    def run():
        for file, top, left, height, width, mirrored in pictures:
            image = Image.open(io.BytesIO(file)).convert("RGB")
            image = image.resize((SIDE, SIDE), Image.Resampling.BILINEAR,
                                 box=(left, top, left + width, top + height))
            if mirrored:
                image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            functional.pil_to_tensor(image).to(torch.float32).mul_(1 / 127.5).sub_(1)
    return run


def tensorflow(pictures, batch=16):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    files = [file for file, *_ in pictures]
    crops = [rest[:4] for _, *rest in pictures]
    mirrored = [bool(rest[4]) for _, *rest in pictures]

    def prepare(file, crop, flip):
        image = tf.io.decode_and_crop_jpeg(file, crop, channels=3, dct_method="INTEGER_FAST",
                                           fancy_upscaling=False)
        image = tf.compat.v1.image.resize(image, [SIDE, SIDE], tf.image.ResizeMethod.BILINEAR)
        image = tf.cond(flip, lambda: tf.reverse(image, [1]), lambda: image)
        return image * (1 / 127.5) - 1

    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    options.threading.max_intra_op_parallelism = 1
    options.autotune.enabled = False
    data = tf.data.Dataset.from_tensor_slices((files, crops, mirrored)).map(prepare).batch(batch)
    data = data.with_options(options)

    def run():
        for _ in data:
            pass
    return run


def main():
    name, directory = sys.argv[1:]
    run = {"torchvision": torchvision, "pillow": pillow, "tensorflow": tensorflow}[name](
        load(Path(directory)))
    run()
    print("READY", flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        run()
        print(time.perf_counter() - begin, flush=True)


main()
