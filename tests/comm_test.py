#!/usr/bin/env python3
"""`lockstep comm`, the real program: its rows in every format, and how it refuses.

Usage: comm_test.py PROGRAM [unittest arguments]"""

import csv
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SMALL = ["--sizes=1KB:4KB", "--iterations=2", "--oversubscribe"]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "2"]


def comm(*arguments, launcher=()):
    return subprocess.run([*launcher, PROGRAM, "comm", *arguments], capture_output=True, text=True,
                          timeout=60)


def free_addresses(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Comm(unittest.TestCase):
    def document(self, *arguments, launcher=()):
        done = comm(*arguments, "--json", launcher=launcher)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_finds_nothing_wrong_between_few_and_many_devices(self):
        for devices in (1, 2, 3):
            for operation, factor in (("all_reduce", 2), ("reduce_scatter", 1), ("all_gather", 1)):
                document = self.document(*SMALL, f"--devices={devices}", f"--operation={operation}")
                self.assertEqual(document["configuration"]["operation"], operation)
                self.assertEqual(document["configuration"]["ranks"], devices)
                self.assertIn("cpu_model", document["environment"])
                self.assertEqual({row["bytes"] for row in document["rows"]}, {1024, 2048, 4096})
                for row in document["rows"]:
                    self.assertEqual(row["wrong"], 0)
                    self.assertAlmostEqual(row["algbw_GBps"], row["bytes"] / row["time_us"] / 1e3)
                    self.assertAlmostEqual(row["busbw_GBps"],
                                           row["algbw_GBps"] * factor * (devices - 1) / devices)

    def test_has_the_mpi_librarys_own_beside_ours(self):
        document = self.document(*SMALL, launcher=MPIRUN)
        self.assertEqual(document["configuration"]["transport"], "mpi")
        self.assertEqual(document["configuration"]["ranks"], 2)
        self.assertEqual([row["wrong"] for row in document["rows"] if row["algorithm"] == "vendor"],
                         [0, 0, 0])
        self.assertEqual({row["wrong"] for row in document["rows"]}, {0})

    def test_measures_between_processes_that_were_started_by_hand(self):
        cluster = ["--worker_hosts=" + ",".join(free_addresses(2)), "--job_name=worker"]
        ranks = [subprocess.Popen([PROGRAM, "comm", *SMALL, *cluster, f"--task_index={rank}", "--json"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for rank in (1, 0)]
        (silence, errors), (output, more_errors) = [rank.communicate(timeout=60) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], errors + more_errors)
        self.assertEqual(silence, "")
        document = json.loads(output)
        self.assertEqual(document["configuration"]["transport"], "tcp")
        self.assertEqual(document["configuration"]["ranks"], 2)
        self.assertEqual({row["wrong"] for row in document["rows"]}, {0})

    def test_keeps_the_rows_of_ranks_that_were_lost_in_the_middle(self):
        many = ["--sizes=" + ",".join(["4KB"] * 5000), "--iterations=9", "--oversubscribe",
                "--json"]
        cluster = ["--worker_hosts=" + ",".join(free_addresses(2)), "--job_name=worker"]
        survivor, victim = [
            subprocess.Popen([PROGRAM, "comm", *many, *cluster, f"--task_index={rank}"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for rank in (0, 1)]
        while victim.poll() is None and cpu_seconds(victim) < 0.5:  # a row takes some hundredths
            time.sleep(0.01)
        victim.kill()
        output, errors = survivor.communicate(timeout=60)
        victim.communicate()
        self.assertEqual(survivor.returncode, 5, errors)
        document = json.loads(output)
        self.assertGreater(len(document["rows"]), 0)
        self.assertLess(len(document["rows"]), 5000)
        self.assertEqual({row["wrong"] for row in document["rows"]}, {0})
        self.assertEqual(document["error"]["exit_code"], 5)
        self.assertIn("rank 1 ", document["error"]["message"])
        self.assertIn(document["error"]["message"], errors)

    def test_measures_what_training_takes(self):
        document = self.document(*SMALL, "--devices=2", "--algorithms=auto,direct")
        self.assertEqual([(row["algorithm"], row.get("taken")) for row in document["rows"]],
                         [("auto", "direct"), ("direct", None)] * 3)
        self.assertNotIn("error", document)

    def test_refuses_what_no_memory_is_large_enough_for(self):
        done = comm("--sizes=1KB,600GB", "--devices=2", "--oversubscribe")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("2 ranks x 600.0 GiB = 1.17 TiB", done.stderr)
        self.assertIn("hint: lower --sizes", done.stderr)
        done = comm("--sizes=4KB", "--devices=60000", "--oversubscribe")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("60000 ranks x 6.0", done.stderr)

    def test_hints_at_what_works(self):
        done = comm(*SMALL, "--devices=2", "--transport=mpi")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("put mpirun --bind-to none -np 2 before the command", done.stderr)
        done = comm(*SMALL, "--devices=2", launcher=MPIRUN)
        self.assertIn("leave --devices out and start 4 processes", done.stderr)
        # Both, done:
        self.assertEqual(self.document(*SMALL, "--transport=mpi",
                                       launcher=MPIRUN)["configuration"]["ranks"], 2)
        meeting = ["-x", f"LOCKSTEP_COORDINATOR={free_addresses(1)[0]}"]
        document = self.document(*SMALL, "--devices=2", "--transport=tcp",
                                 launcher=[*MPIRUN, *meeting])
        self.assertEqual(document["configuration"]["ranks"], 4)

    def test_lists_its_exit_codes(self):
        codes = comm("--help").stdout.split("exit codes:")[1].split()
        self.assertEqual([word for word in codes if word.isdigit()], ["0", "2", "3", "4", "5"])

    def test_prints_a_table_row_by_row(self):
        done = comm(*SMALL, "--devices=2", "--algorithms=ring,direct")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["bytes", "elements", "algorithm", "time", "us", "algbw",
                                            "busbw", "wrong"])
        rows = [line.split() for line in lines[2:]]
        self.assertEqual([row[:3] for row in rows[:3]], [["1024", "256", "ring"],
                                                         ["1024", "256", "direct"],
                                                         ["2048", "512", "ring"]])
        self.assertEqual({row[-1] for row in rows}, {"0"})

    def test_writes_csv_and_leaves_out_what_was_not_checked(self):
        done = comm(*SMALL, "--devices=2", "--algorithms=tree", "--csv", "--nocheck")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual([row["bytes"] for row in rows], ["1024", "2048", "4096"])
        self.assertEqual({(row["operation"], row["algorithm"], row["ranks"], row["wrong"])
                          for row in rows}, {("all_reduce", "tree", "2", "")})
        self.assertTrue(all(float(row["time_us"]) > 0 for row in rows))

    def test_takes_the_buckets_of_a_model_one_by_one_and_all_at_once(self):
        document = self.document("--model=lenet", "--batch_size=1", "--fusion_threshold_mb=0.01",
                                 "--algorithms=direct", "--devices=2", "--oversubscribe",
                                 "--iterations=1")
        self.assertEqual(document["configuration"]["model"], "lenet")
        *single, whole = document["rows"]
        self.assertGreater(len(single), 1)
        self.assertEqual({row["buckets"] for row in single}, {1})
        self.assertGreater(whole["buckets"], 1)
        self.assertGreater(whole["bytes"], max(row["bytes"] for row in single))
        self.assertEqual(sum(row["wrong"] for row in document["rows"]), 0)

    def test_says_what_it_cannot_do(self):
        for flags, message in ((["--sizs=1KB"], "did you mean --sizes?"),
                               (["--sizes=big"], "is not a size"),
                               (["--algorithms=rings"], "did you mean ring?"),
                               (["--operation=all_gather", "--algorithms=tree", "--devices=2",
                                 "--oversubscribe"], "leaves all sums with one rank")):
            done = comm(*flags)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
