#!/usr/bin/env python3
"""Damaged, exchanged and endless files of a directory of results, and all verbs that read them.

Whatever is in the files: no verb crashes, hangs, quotes a library's exception, or ends with a code that
is not documented. Mutants follow from a seed: each run has the same ones.

Usage: mutants_test.py PROGRAM [unittest arguments]"""

import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "src" / "report" / "import" / "fixtures"
SWEEP = ["--models=mnist_mlp:4", "--devices=1,2", "--noceiling", "--oversubscribe", "--num_batches=5",
         "--num_warmup_batches=1", "--repeats=2"]
ONE, TWO = "points/mnist_mlp-b4-d1-replicated/1", "points/mnist_mlp-b4-d2-replicated/1"
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6}
SUSPICIOUS = ("json.exception", "terminate called", "unexpected:", "bad_alloc", "YAML::")


def numbers_in(value, path=()):
    """Paths of all numbers of a document."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, nested in items for found in numbers_in(nested, (*path, key))]
    return [path] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def with_number(text, chance):
    """One number is something else, where there is one."""
    try:
        document = json.loads(text)
        *path, last = chance.choice(numbers_in(document))
    except (ValueError, IndexError):
        return text[::-1]
    place = document
    for key in path:
        place = place[key]
    place[last] = chance.choice([-1, -1e9, 0, 1e300, 2**70, "many", None, [], {"a": 1}, True, 0.5])
    return json.dumps(document).encode()


def damaged(content, chance):
    """A mutant of some bytes."""
    at = chance.randrange(len(content) + 1)
    to = min(len(content), at + chance.randrange(1, 40))
    return chance.choice([
        lambda: content[:at],
        lambda: content[:at] + bytes(chance.randrange(256) for _ in range(to - at)) + content[to:],
        lambda: content[:at] + content[to:],
        lambda: content[:at] + content[at:to] * chance.randrange(2, 50) + content[to:],
        lambda: content[:at] + b"[" * 100_000 + content[at:],
        lambda: content + content[:at],
        lambda: with_number(content, chance),
        lambda: with_number(content, chance),
        lambda: with_number(content, chance),
    ])()


def crc32c(content):
    """The checksum at the end of an index."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def endless(file):
    file.symlink_to("/dev/zero")


def huge(file):
    with open(file, "wb") as opened:
        opened.truncate(1 << 36)


NO_FILES = (os.mkfifo, endless, huge, pathlib.Path.mkdir)


class Mutants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.place = pathlib.Path(temporary.name)
        cls.whole = cls.place / "whole"
        cls.verb("sweep", *SWEEP, f"--result_dir={cls.whole}")
        cls.counts = collections.Counter()
        cls.mutants = 0

    @classmethod
    def tearDownClass(cls):
        codes = ", ".join(f"{n} with {code}" for code, n in sorted(cls.counts.items()))
        print(f"{cls.mutants} mutants, {sum(cls.counts.values())} commands, which ended: {codes}")

    @classmethod
    def verb(cls, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="replace",
                              timeout=120, cwd=cls.place,
                              env={**os.environ, "XDG_CACHE_HOME": str(cls.place / "cache")})

    def check(self, *arguments):
        """Runs a verb on a mutant; how it ended."""
        done = self.verb(*arguments)
        self.counts[done.returncode] += 1
        said = done.stdout + done.stderr
        self.assertIn(done.returncode, DOCUMENTED, (arguments, said))
        for word in SUSPICIOUS:
            self.assertNotIn(word, said, arguments)
        if done.returncode == 2:
            self.assertRegex(done.stderr, "^(error|warning): ", arguments)
        return done

    def copy(self):
        """A directory to do harm to."""
        type(self).mutants += 1
        mutant = self.place / f"mutant{self.mutants}"
        shutil.copytree(self.whole, mutant)
        self.addCleanup(shutil.rmtree, mutant, ignore_errors=True)
        return mutant

    def read_by_all(self, mutant):
        self.check("report", mutant)
        self.check("gate", "--baseline", self.whole, mutant)
        self.check("compare", self.whole, mutant)
        self.check("watch", mutant, "--once")

    def test_damaged_files_are_survived(self):
        for name, times in (("sweep.json", 12), (f"{ONE}/run.json", 20), (f"{TWO}/samples.0", 6),
                            ("doctor.json", 4)):
            chance = random.Random(name)
            for _ in range(times):
                mutant = self.copy()
                file = mutant / name
                file.write_bytes(damaged(file.read_bytes(), chance))
                with self.subTest(file=name, mutant=self.mutants):
                    self.read_by_all(mutant)

    def test_files_that_never_end_are_refused(self):
        for name in ("sweep.json", f"{ONE}/run.json", f"{TWO}/samples.0", "doctor.json"):
            for replace in NO_FILES:
                mutant = self.copy()
                (mutant / name).unlink()
                replace(mutant / name)
                with self.subTest(file=name, replaced_by=replace.__name__):
                    self.read_by_all(mutant)

    def test_files_of_other_points_are_noticed(self):
        mutant = self.copy()
        (mutant / ONE).rename(mutant / "aside")
        (mutant / TWO).rename(mutant / ONE)
        (mutant / "aside").rename(mutant / TWO)
        for arguments in (("report", mutant), ("gate", "--baseline", self.whole, mutant),
                          ("compare", self.whole, mutant)):
            said = self.check(*arguments).stderr
            self.assertEqual(said.count("run.json is left out: it belongs to another point: "), 2, said)
        done = self.check("sweep", "--resume", f"--result_dir={mutant}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("launch 1 of "), 2, done.stderr)
        for point, devices in ((ONE, 1), (TWO, 2)):
            self.assertEqual(len(json.loads((mutant / point / "run.json").read_text())["ranks"]), devices)

    def test_a_damaged_sweep_is_resumed_or_refused(self):
        for name in ("sweep.json", f"{ONE}/run.json", f"{TWO}/run.json"):
            chance = random.Random("resume" + name)
            for _ in range(4):
                mutant = self.copy()
                file = mutant / name
                file.write_bytes(damaged(file.read_bytes(), chance))
                with self.subTest(file=name, mutant=self.mutants):
                    self.check("sweep", "--resume", f"--result_dir={mutant}", "--max_time=20")

    def test_damaged_logs_are_imported_or_refused(self):
        chance = random.Random("logs")
        for log in sorted(FIXTURES.iterdir()):
            for _ in range(3):
                type(self).mutants += 1
                mutant = self.place / f"log{self.mutants}"
                mutant.write_bytes(damaged(log.read_bytes(), chance))
                with self.subTest(log=log.name, mutant=self.mutants):
                    self.check("import", mutant, f"--result_dir={self.place}/imported{self.mutants}")
        pipe = self.place / "pipe"
        os.mkfifo(pipe)
        self.assertIn("not a regular file", self.check("import", pipe).stderr)

    def test_damaged_checkpoints_are_refused(self):
        trained = self.place / "trained"
        flags = ["run", "--model=mnist_mlp", "--batch_size=4", "--num_batches=2", "--num_warmup_batches=0"]
        self.assertEqual(self.verb(*flags, f"--train_dir={trained}").returncode, 0)
        whole = max(trained.iterdir()).read_bytes()
        chance = random.Random("checkpoint")
        for _ in range(12):
            type(self).mutants += 1
            directory = self.place / f"checkpoint{self.mutants}"
            directory.mkdir()
            content = damaged(whole[:2000], chance) + whole[2000:] if chance.random() < 0.7 else \
                whole[:chance.randrange(len(whole))]
            (directory / "checkpoint-2").write_bytes(content)
            with self.subTest(mutant=self.mutants):
                self.assertIn(self.check(*flags, f"--train_dir={directory}").returncode, (0, 2))

    def test_damaged_indices_of_datasets_are_made_again(self):
        dataset = self.place / "dataset"
        self.assertEqual(self.verb("data", "make", dataset, "--train=40", "--validation=20").returncode, 0)
        inspect = ("data", "inspect", dataset, "--json")
        train = ("run", "--model=mnist_mlp", "--batch_size=4", "--num_batches=3", "--num_warmup_batches=0",
                 f"--data_dir={dataset}", "--display_every=1")

        def losses():
            lines = self.check(*train).stdout.splitlines()
            return [line.split()[-1] for line in lines if "images/sec: " in line and line[0].isdigit()]

        def replace(by):
            index.rmdir() if index.is_dir() else index.unlink()
            by(index)

        described, learned = self.check(*inspect).stdout, losses()
        self.assertEqual(len(learned), 3)
        [index] = (self.place / "cache" / "lockstep").glob("index-*")
        whole = index.read_bytes()
        chance = random.Random("index")
        for damage in [lambda: index.write_bytes(damaged(whole, chance))] * 12 + \
                [lambda by=by: replace(by) for by in NO_FILES]:
            type(self).mutants += 1
            with self.subTest(mutant=self.mutants):
                damage()
                self.assertEqual(self.check(*inspect).stdout, described)
                damage()
                self.assertEqual(losses(), learned)
        index.rmdir()
        self.assertEqual(crc32c(whole[:-4]).to_bytes(4, "little"), whole[-4:])
        # Whoever gets the checksum right may tell lies, but do no harm.
        for _ in range(40):
            type(self).mutants += 1
            at, lie = chance.randrange(len(whole) - 12), chance.choice([0, 1, 100, 1 << 40, (1 << 64) - 1])
            lies = whole[:at] + lie.to_bytes(8, "little") + whole[at + 8:-4]
            with self.subTest(mutant=self.mutants):
                for arguments in (inspect, train):
                    index.write_bytes(lies + crc32c(lies).to_bytes(4, "little"))
                    self.check(*arguments)
        index.write_bytes(whole[:-1])
        self.check(*inspect)
        self.assertEqual(index.read_bytes(), whole)


if __name__ == "__main__":
    unittest.main()
