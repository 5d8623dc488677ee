#!/usr/bin/env python3
"""`lockstep data`, the real program: what it makes, Python's own readers read; what they write, it reads.

Usage: data_test.py PROGRAM [unittest arguments]"""

import gzip
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import types
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SMALL = ["--train=40", "--validation=10", "--image_size=16", "--classes=4"]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def read_tfrecord(path):
    data = path.read_bytes()
    while data:
        length, = struct.unpack_from("<Q", data)
        assert data[8:12] == masked(data[:8])
        payload, data = data[12:12 + length], data[12 + length:]
        assert data[:4] == masked(payload)
        data = data[4:]
        yield payload


# Numpy is not needed to read or write the pickles of its arrays: only its names are.
class Array:
    def __reduce__(self):
        return (numpy.core.multiarray._reconstruct, (numpy.ndarray, (0,), b"b"), self.state)

    def __setstate__(self, state):
        self.state = state


class Type:
    def __init__(self, *arguments):
        self.arguments = arguments

    def __reduce__(self):
        return (numpy.dtype, self.arguments, (3, "|", None, None, None, -1, -1, 0))

    def __setstate__(self, state):
        pass


def _reconstruct(*_):
    return Array()


numpy = types.ModuleType("numpy")
numpy.core = types.ModuleType("numpy.core")
numpy.core.multiarray = types.ModuleType("numpy.core.multiarray")
for owner, name, value in ((numpy.core.multiarray, "_reconstruct", _reconstruct),
                           (numpy, "ndarray", Array), (numpy, "dtype", Type)):
    value.__module__, value.__qualname__ = owner.__name__, name
    setattr(owner, name, value)
sys.modules.update({module.__name__: module for module in
                    (numpy, numpy.core, numpy.core.multiarray)})


class Data(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name)

    def data(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, "data", *arguments], capture_output=True, text=True,
                              timeout=60, env=os.environ | {"XDG_CACHE_HOME": str(self.top)})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def make(self, form, *flags):
        directory = self.top / form
        self.data("make", directory, f"--format={form}", *SMALL, *flags)
        return directory

    def inspect(self, directory, *flags, code=0):
        return json.loads(self.data("inspect", directory, "--json", *flags, code=code).stdout)

    def test_makes_and_inspects_every_format(self):
        for form in ("mnist", "cifar10_binary", "cifar10_python", "tfrecord", "folder"):
            found = self.inspect(self.make(form))
            self.assertEqual(found["format"], form)
            self.assertEqual([found["splits"][split]["records"] for split in found["splits"]],
                             [40, 10])
            self.assertEqual(found["classes"]["count"], 4)
            self.assertEqual(found["error_count"], 0)

    def test_makes_what_python_reads(self):
        mnist = self.make("mnist", "--gzip")
        images = gzip.open(mnist / "t10k-images-idx3-ubyte.gz").read()
        self.assertEqual(struct.unpack(">4I", images[:16]), (0x803, 10, 28, 28))
        self.assertEqual(len(images), 16 + 10 * 784)

        with open(self.make("cifar10_python") / "data_batch_1", "rb") as file:
            batch = pickle.load(file, encoding="latin1")
        version, shape, kind, fortran, pixels = batch["data"].state
        self.assertEqual((shape, kind.arguments[0], fortran), ((8, 3072), "u1", False))
        self.assertEqual((len(pixels), len(batch["labels"])), (8 * 3072, 8))

        shard = self.make("tfrecord") / "train-00000-of-00004"
        records = list(read_tfrecord(shard))
        self.assertEqual(len(records), 10)
        self.assertIn(b"image/encoded", records[0])

    def test_reads_what_python_pickles(self):
        batch, pixels = {}, bytes(range(256)) * 12 * 3
        array = Array()
        array.state = (1, (3, 3072), Type("u1", False, True), False, pixels)
        batch.update({b"labels": [5, 0, 9], b"data": array, b"filenames": [b"a", b"b", b"c"]})
        for protocol in (3, 4, 5):
            directory = self.top / f"protocol{protocol}"
            directory.mkdir()
            (directory / "data_batch_1").write_bytes(pickle.dumps(batch, protocol=protocol))
            found = self.inspect(directory)
            self.assertEqual(found["format"], "cifar10_python")
            self.assertEqual(found["splits"]["train"]["records"], 3)
            self.assertEqual(found["classes"]["labels"], [0, 9])

    def test_says_what_is_damaged_or_leaves_it_out(self):
        directory = self.make("tfrecord")
        shard = directory / "train-00002-of-00004"
        content = bytearray(shard.read_bytes())
        content[200] ^= 16
        shard.write_bytes(content)
        done = self.data("inspect", directory, code=2)
        self.assertRegex(done.stderr, r"error: .*/train-00002-of-00004: at byte 12: a record of "
                                      r"\d+ bytes is damaged\nhint: --skip_corrupt")
        found = self.inspect(directory, "--skip_corrupt")
        self.assertEqual(found["splits"]["train"]["records"], 39)
        self.assertEqual([(error["file"], error["offset"]) for error in found["errors"]],
                         [("train-00002-of-00004", 12)])

    def test_converts_a_folder(self):
        folder, records = self.make("folder"), self.top / "records"
        broken = next((folder / "train").glob("*/*.jpg"))
        broken.write_bytes(broken.read_bytes()[:100])
        self.assertIn("cut off", self.data("convert", folder, records, code=2).stderr)
        done = self.data("convert", folder, records, "--skip_corrupt", "--shards", "3")
        self.assertEqual(done.stdout, f"{records}: tfrecord; 39 images for training, "
                                      "10 for validation, 1 damaged left out\n")
        found = self.inspect(records)
        self.assertEqual(found["splits"]["train"]["records"], 39)
        self.assertEqual(found["classes"]["labels"], [1, 4])
        self.assertEqual(found["classes"]["names"][1:], ["class000", "class001", "class002",
                                                         "class003"])

    def test_says_what_it_cannot_do(self):
        for arguments, message in ((["inspekt"], "did you mean inspect?"),
                                   (["inspect"], "lockstep data inspect DIR"),
                                   (["inspect", self.top], "no dataset in"),
                                   (["make", "x", "--format=zip"], "one of mnist"),
                                   (["convert", self.make("mnist"), "x"], "folders of JPEG")):
            self.assertIn(message, self.data(*arguments, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
