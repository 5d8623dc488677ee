#!/usr/bin/env python3
"""`lockstep import`, the real program: logs of others in, a directory like that of a sweep out.

Usage: import_test.py PROGRAM [unittest arguments]"""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "src" / "report" / "import" / "fixtures"


class Import(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.out = pathlib.Path(temporary.name) / "out"

    def lockstep(self, *arguments):
        return self.run_verb("import", f"--result_dir={self.out}", *arguments)

    def run_verb(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              cwd=FIXTURES)

    def test_makes_a_directory_like_that_of_a_sweep(self):
        done = self.lockstep("tf_cnn_local.log", "tf_cnn_worker0.log", "tf_cnn_worker1.log",
                             "horovod.log", "nccl_all_reduce.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        schema = json.loads((ROOT / "docs" / "run.schema.json").read_text())
        speeds = {}
        for run in self.out.glob("points/*/*/run.json"):
            document = json.loads(run.read_text())
            jsonschema.Draft202012Validator(schema).validate(document)
            point = str(run.parent.relative_to(self.out / "points"))
            speeds[point] = round(document["statistics"]["images_per_s"], 2)
            for number, name in enumerate(document["context"]["imported"]["files"], 1):
                self.assertEqual((run.parent / f"{number}.log").read_text(),
                                 (FIXTURES / name).read_text())
        self.assertEqual(speeds, {"resnet50-b64-d2-replicated/1": 546.52,
                                  "inception3-b64-d4-distributed_replicated/1": 1017.10,
                                  "resnet50-b32-d4-horovod/1": 1007.6})
        self.assertRegex(done.stdout, r"resnet50 +32 +horovod +4 +1008 ")
        comm = json.loads((self.out / "comm.json").read_text())
        self.assertEqual(comm["schema"], {"name": "lockstep-comm", "version": 1})
        self.assertEqual(len(comm["rows"]), 5)
        # A second import must not mix with the first one.
        again = self.lockstep("horovod.log")
        self.assertEqual(again.returncode, 2)
        self.assertIn("choose another --result_dir", again.stderr)

    def test_takes_flags_for_what_a_log_does_not_say(self):
        log = self.out.with_suffix(".log")
        log.write_text("".join(f"step {i}: 1{i}.5 samples/s\n" for i in range(3)))
        flags = ["--pattern", r"(\d+\.\d+) samples/s", "--compute=last", "--scale", "4"]
        done = self.lockstep(*flags, log)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing says which model this is, how large the batch of a device is, how "
                      "many devices there were, how gradients were exchanged\n", done.stderr)
        self.assertIn("--model=NAME, --batch_size=N, --devices=N, --strategy=NAME say it", done.stderr)
        self.assertFalse(self.out.exists())
        done = self.lockstep(*flags, "-m", "mynet", "-b", "8", "--devices=4",
                             "--strategy=replicated", log)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mynet is no model that lockstep knows", done.stderr)
        run = json.loads((self.out / "points/mynet-b8-d4-replicated/1/run.json").read_text())
        self.assertEqual(run["statistics"]["images_per_s"], 50)
        self.assertIn("last of 3 numbers that '", done.stdout)
        self.assertIn("' finds: minimum 10.5, median 11.5, maximum 12.5; times 4\n", done.stdout)
        # Four devices that nothing else was measured beside are not "100 % efficient".
        self.assertRegex(done.stdout, r"\nmynet +8 +replicated +4 +50\.0[ -]+\n")
        self.run_verb("report", self.out)
        with open(self.out / "report/results.csv", newline="") as file:
            row = next(csv.DictReader(file))
        self.assertEqual((row["speedup"], row["efficiency"], row["baseline_devices"]), ("", "", ""))
        page = (self.out / "report/report.html").read_text()
        self.assertEqual(set(re.findall('data-column="([a-z_]+)"', page)), {"images_per_s"})

    def test_makes_a_curve_of_a_directory_of_logs(self):
        logs = self.out.with_name("logs")
        logs.mkdir()
        (logs / "resnet50_4gpu.log").write_text("throughput: 1,400.0 img/s\nthroughput: 1,410.0 img/s\n")
        (logs / "resnet50_8gpu.log").write_text("throughput: 2,510.0 img/s\nthroughput: 2,530.0 img/s\n"
                                                "throughput: 12.0 img/s\n")
        done = self.lockstep("--pattern=throughput: ([0-9.]+)", "--compute=p50",
                             "--file_pattern=(?<model>[a-z0-9]+)_(?<devices>[0-9]+)gpu", "-b", "64",
                             "--strategy=replicated", *sorted(logs.iterdir()))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("_8gpu.log:1: 1 of 3 numbers is more than twice or less than half of the median, "
                      "2510; the first is 12 in line 3", done.stderr)
        self.assertRegex(done.stdout, r"resnet50 +64 +replicated +4 +1405 ")
        self.assertRegex(done.stdout, r"resnet50 +64 +replicated +8 +2510 ")

    def test_is_compared_like_what_lockstep_measured(self):
        again = self.out.with_suffix(".log")
        shutil.copy(FIXTURES / "tf_cnn_local.log", again)
        done = self.lockstep("tf_cnn_local.log", again, "tf_cnn_horovod.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_verb("gate", "--baseline", self.out, self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no regression: 1 UNDECIDED, 1 SAME", done.stdout)  # one has one launch
        graph = self.out.with_suffix(".svg")
        launch = self.out / "points/resnet50-b64-d2-replicated/1"
        done = self.run_verb("compare", self.out, launch, f"--graph={graph}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"resnet50 .* 2 +1 +replicated, NCHW +546.5 .* 1.000 ")
        self.assertIn("out: ", done.stdout)
        self.assertIn("TensorFlow 2.14", done.stdout)

    def test_is_reported_without_what_is_not_known(self):
        for files, figures in ((["horovod.log"], {"throughput"}),
                               (["tf_cnn_local.log", "tf_cnn_horovod.log"], {"throughput"}),
                               (["measurements.tsv"], {"throughput", "speed_up", "efficiency"}),
                               (["nccl_all_reduce.log"], {"collectives"})):
            with self.subTest(files=files):
                self.out = self.out.with_name(files[0])
                self.assertEqual(self.lockstep(*files).returncode, 0)
                done = self.run_verb("report", self.out)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                page = (self.out / "report/report.html").read_text()
                self.assertEqual({path.stem for path in self.out.glob("report/*.svg")}, figures)
                self.assertEqual(set(re.findall('<figure id="([a-z_]+)"', page)), figures)
                self.assertNotIn("<strong>no</strong>", page)  # stable
                self.assertEqual(re.findall('data-column="([a-z_]+)" data-value="0"', page), [])

    def test_names_what_is_wrong(self):
        for arguments, message in ((["missing.log"], "missing.log"), ([], "import needs a file"),
                                   (["--modle=x", "horovod.log"], "did you mean --model?"),
                                   (["horovod.log", "./horovod.log"],
                                    "horovod.log and ./horovod.log are the same file")):
            done = self.lockstep(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)
            self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
