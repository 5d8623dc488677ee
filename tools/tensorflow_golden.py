#!/usr/bin/env python3
"""Files by TensorFlow's own hand, to hold lockstep's against.

    tools/tensorflow_golden.py --write          writes tests/golden/tensorflow*
    tools/tensorflow_golden.py --read FILE...   prints what TensorFlow reads from TFRecord files

Needs a Python with TensorFlow (tensorflow-cpu 2.21 wrote the files); tests do not."""

import argparse
import math
import pathlib

import tensorflow as tf

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden"


def feature(values):
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(image, label, text, boxes=()):
    sides = dict(zip(("ymin", "xmin", "ymax", "xmax"), zip(*boxes)))
    features = {
        "image/encoded": [image],
        "image/class/label": [label],
        "image/class/text": [text],
        "image/class/synset": [b"n01440764"],
        "image/height": [6],
        "image/width": [8],
        "image/filename": [b"picture.JPEG"],
        **{f"image/object/bbox/{side}": list(values) for side, values in sides.items()},
    }
    return tf.train.Example(features=tf.train.Features(
        feature={key: feature(values) for key, values in features.items()}))


def write_records():
    """ImageNet's keys; a colour and a grey JPEG file, and a PNG file that is called JPEG."""
    pixels = tf.cast(tf.reshape(tf.range(6 * 8 * 3), (6, 8, 3)), tf.uint8)
    jpeg, png = tf.io.encode_jpeg(pixels).numpy(), tf.io.encode_png(pixels).numpy()
    grey = tf.io.encode_jpeg(pixels[:, :, :1]).numpy()
    boxes = [(0.0, 0.25, 0.5, 0.75), (0.125, 0.0, 1.0, 1.0)]
    with tf.io.TFRecordWriter(str(GOLDEN / "tensorflow.tfrecord")) as writer:
        for record in (example(jpeg, 1, b"tench, Tinca tinca", boxes), example(png, 1000, b"toilet tissue"),
                       example(grey, 3, "tiburón".encode())):
            writer.write(record.SerializeToString(deterministic=True))


def write_crops(side=32):
    """A picture, and what evaluation makes of it by each way to resize: bytes, channel by channel."""
    y, x = tf.meshgrid(tf.range(75.0), tf.range(110.0), indexing="ij")
    picture = tf.stack([127 + 120 * tf.sin(x / 5 + y / 9), 2 * x + tf.sin(y) * 30,
                        127 + 100 * tf.cos(x * y / 400)], axis=2)
    picture = tf.cast(tf.clip_by_value(picture, 0, 255), tf.uint8)
    file = tf.io.encode_jpeg(picture, quality=90).numpy()
    (GOLDEN / "tensorflow.jpg").write_bytes(file)

    image = tf.io.decode_jpeg(file, channels=3, fancy_upscaling=False, dct_method="INTEGER_FAST")
    (GOLDEN / "tensorflow.png").write_bytes(tf.io.encode_png(image).numpy())
    height, width = (tf.cast(size, tf.float32) for size in image.shape[:2])
    ratio = tf.maximum(side / height, side / width)
    size = [int(height * ratio * 1.145), int(width * ratio * 1.145)]
    methods = tf.compat.v1.image.ResizeMethod
    for name, method in (("nearest", methods.NEAREST_NEIGHBOR), ("bilinear", methods.BILINEAR),
                         ("bicubic", methods.BICUBIC), ("area", methods.AREA)):
        resized = tf.cast(tf.compat.v1.image.resize_images(image, size, method), tf.float32)
        top, left = (size[0] - side) // 2, (size[1] - side) // 2
        crop = tf.transpose(resized[top:top + side, left:left + side], (2, 0, 1))
        values = tf.cast(tf.round(tf.clip_by_value(crop, 0, 255)), tf.uint8)
        (GOLDEN / f"tensorflow_{name}.rgb").write_bytes(values.numpy().tobytes())


def turn_in_yiq(image, saturation, turns):
    """TensorFlow 1 had an operation for it: chrominance is turned and stretched."""
    yiq = tf.constant([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
    angle = 2 * math.pi * turns
    along, across = saturation * math.cos(angle), saturation * math.sin(angle)
    change = tf.constant([[1.0, 0, 0], [0, along, -across], [0, across, along]])
    return tf.einsum("ij,hwj->hwi", tf.linalg.inv(yiq) @ change @ yiq, image)


def write_distortions(side=32):
    """What changes of colour, the ones of data/distort_color_test.cc, make of the crop above."""
    planes = tf.io.decode_raw((GOLDEN / "tensorflow_bilinear.rgb").read_bytes(), tf.uint8)
    crop = tf.cast(tf.transpose(tf.reshape(planes, (3, side, side)), (1, 2, 0)), tf.float32) / 255
    out = b""
    for brightness, saturation, turns, contrast, in_yiq, contrast_first in (
            (0.1, 1.4, 0.15, 1.3, False, False), (-0.1, 0.6, -0.2, 0.6, False, True),
            (0.1, 1.4, 0.08, 1.3, True, False), (-0.1, 0.6, -0.1, 0.6, True, True)):
        image = tf.image.adjust_brightness(crop, brightness)
        if contrast_first:
            image = tf.image.adjust_contrast(image, contrast)
        if in_yiq:
            image = turn_in_yiq(image, saturation, turns)
        else:
            image = tf.image.adjust_hue(tf.image.adjust_saturation(image, saturation), turns)
        if not contrast_first:
            image = tf.image.adjust_contrast(image, contrast)
        values = tf.cast(tf.round(255 * tf.clip_by_value(image, 0, 1)), tf.uint8)
        out += tf.transpose(values, (2, 0, 1)).numpy().tobytes()
    (GOLDEN / "tensorflow_distorted.rgb").write_bytes(out)


def read(files):
    keys = {"image/encoded": tf.io.FixedLenFeature([], tf.string),
            "image/class/label": tf.io.FixedLenFeature([], tf.int64),
            "image/class/text": tf.io.FixedLenFeature([], tf.string, ""),
            "image/height": tf.io.FixedLenFeature([], tf.int64),
            "image/width": tf.io.FixedLenFeature([], tf.int64)}
    for record in tf.data.TFRecordDataset(files):
        values = tf.io.parse_single_example(record, keys)
        image = tf.io.decode_image(values["image/encoded"])
        assert image.shape[:2] == (values["image/height"], values["image/width"])
        print(values["image/class/label"].numpy(), values["image/class/text"].numpy().decode(),
              *image.shape)


parser = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--write", action="store_true")
parser.add_argument("--read", nargs="+", default=[], metavar="FILE")
arguments = parser.parse_args()
if arguments.write:
    write_records()
    write_crops()
    write_distortions()
if arguments.read:
    read(arguments.read)
