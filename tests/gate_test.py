#!/usr/bin/env python3
"""`lockstep gate` and `lockstep compare`, the real program, on results of a real sweep and on copies
of them whose speeds we know.

Usage: gate_test.py PROGRAM [unittest arguments]"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
POINTS = ["mnist_mlp-b16-d1-replicated", "mnist_mlp-b16-d2-replicated"]


def lockstep(*arguments, directory=None):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
                          cwd=directory)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.place = pathlib.Path(temporary.name)
        cls.main = cls.place / "main"
        done = lockstep("sweep", "--models=mnist_mlp:16", "--devices=1,2", "--noceiling",
                        "--oversubscribe", "--num_batches=3", "--num_warmup_batches=1",
                        "--repeats=3", "--threads_per_device=1",
                        f"--result_dir={cls.main}")
        assert done.returncode == 0, done.stderr

    def changed(self, name, factors, threads=None, **context):
        """A copy in which each point's launches are faster by a factor; with another number of threads
        per device or another context if these are given."""
        copy = self.place / name
        shutil.copytree(self.main, copy)
        self.addCleanup(shutil.rmtree, copy)
        for point, factor in zip(POINTS, factors):
            for path in copy.glob(f"points/{point}/*/run.json"):
                run = json.loads(path.read_text())
                run["statistics"]["images_per_s"] *= factor
                run["context"].update(context)
                if threads:
                    run["config"]["threads_per_device"] = threads
                path.write_text(json.dumps(run))
        if threads:
            sweep = json.loads((copy / "sweep.json").read_text())
            (copy / "sweep.json").write_text(json.dumps({**sweep, "threads_per_device": threads}))
        return copy

    def gate(self, candidate, *arguments):
        return lockstep("gate", "--baseline", self.main, candidate, *arguments)

    def test_passes_what_is_the_same_or_faster(self):
        done = self.gate(self.changed("change", [1, 2]))
        self.assertEqual(done.returncode, 0, done.stderr)
        verdicts = [line.split()[0] for line in done.stdout.splitlines() if " mnist_mlp " in line]
        self.assertEqual(verdicts, ["SAME", "FASTER"])

    def test_fails_what_is_slower_in_every_format(self):
        slower = self.changed('<slow> "& 5%\n::error::', [1, 0.5])
        junit = self.place / "gate.xml"
        done = self.gate(slower, "--annotations", f"--junit={junit}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a regression: 1 SLOWER, 1 SAME", done.stdout)
        annotations = [line for line in done.stdout.splitlines() if line.startswith("::")]
        self.assertEqual(len(annotations), 1)
        self.assertTrue(annotations[0].startswith(f"::error title=SLOWER {POINTS[1]}::"))

        suite = ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual(suite.get("name"), f"{slower.name} against main")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        self.assertEqual([case.get("name") for case in suite if case.find("failure") is not None],
                         [POINTS[1]])

        done = self.gate(slower, "--json")
        self.assertEqual(done.returncode, 1)
        document = json.loads(done.stdout)
        self.assertTrue(document["regression"])
        self.assertEqual([point["verdict"] for point in document["points"]], ["SAME", "SLOWER"])
        self.assertAlmostEqual(document["points"][1]["ratio"], 0.5)

    def test_is_undecided_where_launches_cannot_be_read_and_strict_if_asked_to(self):
        damaged = self.changed("damaged", [1, 1])
        for launch in (1, 2):
            path = damaged / "points" / POINTS[0] / str(launch) / "run.json"
            path.write_text(path.read_text()[:500])
        done = self.gate(damaged)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"warning: {damaged}/points/{POINTS[0]}/1/run.json is left out", done.stderr)
        self.assertIn("expected a whole run.json of version 1", done.stderr)
        self.assertIn("1 UNDECIDED, 1 SAME", done.stdout)
        self.assertEqual(self.gate(damaged, "--strict").returncode, 6)

    def test_is_not_green_where_nothing_was_compared_and_compare_agrees(self):
        wide = self.changed("wide", [3, 3], threads=2)
        junit = self.place / "wide.xml"
        done = self.gate(wide, f"--junit={junit}")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nothing was compared: 2 UNDECIDED", done.stdout)
        self.assertEqual(done.stdout.count("not comparable: threads per device 2 vs 1"), 2)
        self.assertIn(f"error: nothing of {wide} was compared with {self.main}", done.stderr)
        self.assertEqual(ElementTree.parse(junit).getroot().get("skipped"), "2")
        self.assertEqual(json.loads(self.gate(wide, "--json").stdout)["compared"], 0)

        done = lockstep("compare", self.main, wide, f"--graph={self.place}/g.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("FASTER", done.stdout)
        rows = [line for line in done.stdout.splitlines() if line.startswith("mnist_mlp")]
        self.assertEqual([row.endswith("not comparable") for row in rows], [False, True] * 2)
        self.assertEqual(done.stdout.count("not comparable: threads per device 2 vs 1"), 2)

    def test_says_beside_a_verdict_that_the_machine_was_loaded(self):
        busy = self.changed("busy", [1, 0.5], load_average=99.5, num_cpus=2)
        done = self.gate(busy)
        self.assertEqual(done.returncode, 1, done.stderr)
        verdicts = [line.split()[:2] for line in done.stdout.splitlines() if " mnist_mlp " in line]
        self.assertEqual(verdicts, [["SAME", "!"], ["SLOWER", "!"]])
        self.assertIn(f"SLOWER ! {POINTS[1]}: the candidate started every launch under load (load "
                      "average up to 99.5 on 2 processors)", done.stdout)
        self.assertIn("started every launch under load",
                      json.loads(self.gate(busy, "--json").stdout)["points"][1]["load"])

    def test_refuses_what_has_nothing_in_common(self):
        other = self.changed("other", [1, 1])
        sweep = json.loads((other / "sweep.json").read_text())
        (other / "sweep.json").write_text(json.dumps({**sweep, "models": ["lenet:4"]}))
        done = self.gate(other)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"nothing of {other} was compared", done.stderr)
        self.assertIn("the candidate has no such point", done.stdout)
        self.assertEqual(self.gate(self.place / "nowhere").returncode, 2)

    def test_compares_sweeps_and_runs_in_a_table_and_a_graph(self):
        faster = self.changed("faster", [2, 2])
        done = lockstep("compare", "main", "faster", f"main/points/{POINTS[0]}/1", "nowhere",
                        directory=self.place)
        self.assertEqual(done.returncode, 2)  # for one of them, but the others are compared
        self.assertIn("nowhere holds no results", done.stderr)
        rows = [line.split() for line in done.stdout.splitlines() if line.startswith("mnist_mlp")]
        self.assertEqual([(row[3], row[4], row[-1]) for row in rows],
                         [("1", "main", "-"), ("1", "faster", "FASTER"), ("1", "1", "UNDECIDED"),
                          ("2", "main", "-"), ("2", "faster", "FASTER")])
        graph = ElementTree.parse(self.place / "comparison_graph.svg").getroot()
        texts = [element.text for element in graph.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(sum("mnist_mlp on" in (text or "") for text in texts), 3)
        self.assertEqual(lockstep("compare", self.main, faster, f"--graph={self.place}/g.svg")
                         .returncode, 0)


class Collectives(unittest.TestCase):
    def test_compares_those_of_nccl_tests_with_ours_in_one_panel(self):
        with tempfile.TemporaryDirectory() as temporary:
            place = pathlib.Path(temporary)
            log = pathlib.Path(__file__).parent.parent / "src/report/import/fixtures/nccl_all_reduce.log"
            done = lockstep("import", log, "--result_dir=nccl", directory=place)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = lockstep("comm", "--devices=2", "--sizes=1048576", "--oversubscribe", "--json",
                            directory=place)
            self.assertEqual(done.returncode, 0, done.stderr)
            (place / "ours").mkdir()
            (place / "ours/comm.json").write_text(done.stdout)
            done = lockstep("compare", "nccl", "ours", directory=place)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = [line.split() for line in done.stdout.splitlines() if line.startswith("all_reduce")]
            self.assertEqual([(row[3], row[4]) for row in rows if row[1:3] == ["1.00", "MiB"]][:3],
                             [("nccl", "nccl-tests"), ("nccl", "nccl-tests"), ("ours", "lockstep")])
            graph = ElementTree.parse(place / "comparison_graph.svg").getroot()
            texts = [element.text or "" for element in graph.iter("{http://www.w3.org/2000/svg}text")]
            self.assertEqual(texts.count("all_reduce"), 1)
            self.assertIn("nccl-tests, nccl: in_place, 4 ranks on 2 hosts", texts)
            self.assertTrue([text for text in texts if text.startswith("lockstep, ours: ")], texts)

            (place / "empty").mkdir()
            done = lockstep("compare", "nccl", "empty", directory=place)
            self.assertEqual(done.returncode, 2)
            self.assertIn("empty holds no collectives", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
