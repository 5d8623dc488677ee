#!/usr/bin/env python3
"""What `lockstep report` writes for other programs, in their hands: TensorBoard reads the event files,
Jupyter executes the notebook.

Usage: report_readers_test.py PROGRAM TENSORBOARD [unittest arguments]"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import nbclient
import nbformat

PROGRAM, TENSORBOARD = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
NAME = "week 3: <b>\"50 %\" & $x_1$"
PATIENCE = 120  # seconds


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.place = pathlib.Path(temporary.name)
        sweep = cls.place / NAME
        # Two batches and a strategy that is measured with and without servers of its own.
        for arguments in (["sweep", "--models=mnist_mlp:16,mnist_mlp:8", "--devices=1,2", "--oversubscribe",
                           "--strategies=replicated,parameter_server", "--num_ps=0,1", "--num_batches=3",
                           "--num_warmup_batches=1", "--repeats=2", f"--result_dir={sweep}"],
                          ["report", sweep]):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 0, done.stderr
        cls.report = sweep / "report"
        with open(cls.report / "results.csv", newline="") as file:
            cls.rows = list(csv.DictReader(file))

    def ask(self, url):
        """The answer as soon as there is one."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                    if value := json.load(answer):
                        return value
            except OSError:
                pass
            self.assertLess(time.monotonic(), deadline, url)
            time.sleep(0.1)

    def test_tensorboard_shows_every_number(self):
        self.assertTrue(TENSORBOARD.exists(), f"{TENSORBOARD} is missing: ./test installs it")
        log = open(self.place / "tensorboard.log", "w+")
        self.addCleanup(log.close)
        process = subprocess.Popen([TENSORBOARD, "--logdir", self.report / "tensorboard", "--host=127.0.0.1",
                                    "--port=0", "--load_fast=false", "--reload_interval=1"],
                                   stdout=subprocess.DEVNULL, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        deadline = time.monotonic() + PATIENCE
        address = None
        while not address:
            address = re.search(r"http://127\.0\.0\.1:\d+/", (self.place / "tensorboard.log").read_text())
            self.assertIsNone(process.poll(), (self.place / "tensorboard.log").read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        plugin = address[0] + "data/plugin/scalars"
        expected = {path.parent.name for path in self.report.glob("tensorboard/*/events.*")}
        while len(runs := self.ask(plugin + "/tags")) < len(expected):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(set(runs), expected)
        shown = []
        for run, tags in runs.items():
            for tag in tags:
                query = urllib.parse.urlencode({"run": run, "tag": tag})
                points = self.ask(f"{plugin}/scalars?{query}")
                shown += [(tag, step, round(value, 4)) for _, step, value in points if tag != "step_ms"]
                if tag == "step_ms":
                    self.assertEqual([step for _, step, _ in points], list(range(4)))
        columns = ("images_per_s", "speedup", "efficiency")
        numbers = [(column, int(row["devices"]), float(row[column])) for row in self.rows for column in columns]
        self.assertEqual(len(shown), len(numbers))
        for one, other in zip(sorted(shown), sorted(numbers)):
            self.assertEqual(one[:2], other[:2])
            self.assertAlmostEqual(one[2], other[2], delta=1e-4 * other[2] + 1e-3)

    def test_jupyter_executes_the_notebook(self):
        for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
            os.environ[variable] = str(self.place / variable)
        notebook = nbformat.read(self.report / "report.ipynb", as_version=4)
        nbformat.validate(notebook)
        drawn = {cell["id"]: cell.get("outputs", []) for cell in notebook.cells}
        self.assertIn("image/svg+xml", drawn["throughput"][0]["data"])
        notebook.cells.append(nbformat.v4.new_code_cell(
            "import json\nprint(json.dumps([measured.groupby(['series', 'choice']).devices.agg(list).tolist(), "
            "results.point.tolist()]))"))
        nbclient.NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3").execute()
        pictures = {cell["id"]: sum("image/png" in output.get("data", {}) for output in cell.get("outputs", []))
                    for cell in notebook.cells}
        # A plot for each batch, and one of all steps.
        self.assertEqual({name: count for name, count in pictures.items() if count},
                         {"throughput": 2, "speed_up": 2, "efficiency": 2, "step_time": 1})
        curves, points = json.loads(notebook.cells[-1]["outputs"][0]["text"])
        for devices in curves:
            self.assertEqual(len(devices), len(set(devices)), "a curve has two values of a count")
        self.assertEqual(points, [row["point"] for row in self.rows])


if __name__ == "__main__":
    unittest.main(verbosity=2)
