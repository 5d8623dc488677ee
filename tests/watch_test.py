#!/usr/bin/env python3
"""`lockstep watch`, the real program, beside a real sweep: over HTTP, on a terminal and in a pipe.

Usage: watch_test.py PROGRAM [unittest arguments]"""

import http.client
import json
import os
import pathlib
import pty
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TINY = ["--models=mnist_mlp:16", "--devices=1,2", "--noceiling", "--oversubscribe",
        "--num_batches=1000000", "--launch_time=0.6", "--num_warmup_batches=1", "--repeats=2"]


class Watch:
    """`lockstep watch DIRECTORY`, and what it serves."""

    def __init__(self, directory, *flags):
        self.out = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([PROGRAM, "watch", directory, *flags], text=True,
                                        stdout=self.out, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20
        while not self.lines() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.url = urllib.parse.urlparse(self.lines()[0])

    def lines(self):
        """All that it has written to stdout."""
        return os.pread(self.out.fileno(), 1 << 20, 0).decode().splitlines()

    def ask(self, path, method="GET", address=None, **headers):
        connection = http.client.HTTPConnection(address or self.url.hostname, self.url.port, timeout=10)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def state(self):
        return json.loads(self.ask("/state.json")[1])

    def end(self, number=signal.SIGINT):
        """The exit code, the lines of stdout below the address, and stderr."""
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=10)
        lines = self.lines()[1:]
        self.out.close()
        return self.process.returncode, lines, error


class Watching(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.place = pathlib.Path(temporary.name)
        cls.sweep = cls.place / "sweep"
        # Begun before there is anything to see.
        watch = Watch(cls.sweep)
        cls.states = [watch.state()]
        sweep = subprocess.Popen([PROGRAM, "sweep", *TINY, f"--result_dir={cls.sweep}"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while sweep.poll() is None:
            cls.states.append(watch.state())
            time.sleep(0.05)
        deadline = time.monotonic() + 10
        while cls.states[-1]["state"] != "complete" and time.monotonic() < deadline:
            cls.states.append(watch.state())
            time.sleep(0.05)
        cls.page = watch.ask("/")[1]
        cls.drawings = [watch.ask(path)[1] for path in ("/throughput.svg", "/narrow.svg", "/speeds.svg")]
        cls.ended = watch.end()
        _, error = sweep.communicate()
        assert sweep.returncode == 0, error

    def watch(self, *flags):
        watch = Watch(self.sweep, *flags)
        self.addCleanup(watch.process.communicate)
        self.addCleanup(watch.process.kill)
        self.addCleanup(watch.out.close)
        return watch

    def test_follows_a_sweep_from_before_its_begin_to_its_end(self):
        words = [state["state"] for state in self.states]
        self.assertEqual(words[0], "waiting")
        self.assertEqual(words[-1], "complete")
        self.assertIn("running", words)
        self.assertEqual((self.states[-1]["done"], self.states[-1]["expected"]), (4, 4))
        done = [state["done"] for state in self.states]
        self.assertEqual(done, sorted(done))
        self.assertTrue(any(state["running"] for state in self.states))
        self.assertIn('<dd id="launches">4 of 4</dd>', self.page)
        self.assertIn("mnist_mlp", self.page)
        for drawing in self.drawings:
            self.assertTrue(ElementTree.fromstring(drawing).tag.endswith("svg"))

    def test_ends_when_asked_and_leaves_a_line_for_each_change(self):
        code, lines, error = self.ended
        self.assertEqual((code, error), (130, ""))
        self.assertEqual(lines[0], f"waiting for a sweep to start in {self.sweep}")
        self.assertEqual(lines[-1], "[4/4] complete")
        self.assertEqual(self.watch().end(signal.SIGTERM)[0], 143)

    def test_serves_nothing_else_and_nobody_else(self):
        watch = self.watch()
        for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/sweep.json", "/points", "/" + "x" * 5000, "/state.json%00.html"):
            status, text = watch.ask(path)
            self.assertEqual((status, text), (404, "there is no such page\n"), path)
        for host in ("evil.example", f"evil.example:{watch.url.port}", "127.0.0.1", ""):
            self.assertEqual(watch.ask("/", Host=host)[0], 403, host)
        self.assertEqual(watch.ask("/", Host=f"localhost:{watch.url.port}")[0], 200)
        self.assertEqual(watch.ask("/", method="POST")[0], 405)
        with self.assertRaises(ConnectionRefusedError):
            watch.ask("/", address="127.0.0.2")
        self.assertEqual(watch.state()["state"], "complete")  # it has survived all that

    def test_is_held_up_by_nobody(self):
        """200 that say nothing, and 20 that never finish what they say."""
        watch = self.watch()
        clients = [socket.create_connection((watch.url.hostname, watch.url.port), timeout=10)
                   for _ in range(220)]
        for client in clients:
            self.addCleanup(client.close)
        for client in clients[-20:]:
            client.sendall(b"GET / HTTP/1.1\r\nX: ")
        self.assertEqual(watch.state()["state"], "complete")
        # Who sends a byte now and then is cut off like the others.
        slow = clients[-1]
        with self.assertRaises(OSError):
            while True:
                slow.sendall(b"x")
                slow.settimeout(0.1)
                try:
                    if slow.recv(1) == b"":
                        raise ConnectionError
                except TimeoutError:
                    pass
        clients += [socket.create_connection((watch.url.hostname, watch.url.port), timeout=10)
                    for _ in range(50)]
        self.assertEqual(watch.end()[0], 130)
        for client in clients:
            client.close()

    def test_refuses_what_is_no_request(self):
        watch = self.watch()
        host = f"Host: 127.0.0.1:{watch.url.port}\r\n"
        for request, status in (("GET / HTTP/1.1\r\n" + host, b"200"), ("GET /\r\n" + host, b"400"),
                                ("GET / HTTP/1.1\r\n" + 2 * host, b"400"), ("\0\r\n", b"400"),
                                ("HEAD / HTTP/1.1\r\n" + host, b"200"),
                                ("GET / HTTP/1.1\r\nX: " + 20000 * "x", b"431")):
            with socket.create_connection((watch.url.hostname, watch.url.port), timeout=10) as client:
                client.sendall(request.encode() + b"\r\n")
                answer = b""
                while chunk := client.recv(65536):
                    answer += chunk
            self.assertTrue(answer.startswith(b"HTTP/1.1 " + status), (request[:50], answer[:50]))
            self.assertEqual(answer.endswith(b"</html>\n"), request.startswith("GET / ") and status == b"200")

    def test_ends_when_the_sweep_is_interrupted(self):
        directory = self.place / "interrupted"
        sweep = subprocess.Popen([PROGRAM, "sweep", *TINY[:-1], "--repeats=50",
                                  f"--result_dir={directory}"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(sweep.wait)
        self.addCleanup(sweep.kill)
        watch = Watch(directory)
        self.addCleanup(watch.out.close)
        deadline = time.monotonic() + 20
        while watch.state()["state"] != "running" and time.monotonic() < deadline:
            time.sleep(0.02)
        sweep.send_signal(signal.SIGINT)
        _, error = watch.process.communicate(timeout=30)
        self.assertEqual(watch.process.returncode, 130, error)
        self.assertIn(f"note: lockstep sweep --resume --result_dir={directory} continues the sweep", error)
        self.assertRegex(watch.lines()[-1], r"^\[\d+/100\] stopped before its end$")

    def test_does_not_share_a_port(self):
        port = self.watch().url.port
        done = subprocess.run([PROGRAM, "watch", self.sweep, f"--port={port}"], capture_output=True,
                              text=True, timeout=20)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"cannot listen on 127.0.0.1:{port}: Address already in use", done.stderr)

    def test_shows_a_table_in_the_terminal(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(PROGRAM, [PROGRAM, "watch", self.sweep, "--nopage"])
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
        except OSError:  # it has ended
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertIn(b"[4/4] complete\r\n", shown)
        self.assertEqual(shown.count(b"mnist_mlp"), 2)
        self.assertNotIn(b"\x1b[?1049h", shown)  # the screen is not taken over

    def test_tells_of_a_sweep_that_was_left(self):
        left = self.place / "left"
        shutil.copytree(self.sweep, left)
        shutil.rmtree(left / "points" / "mnist_mlp-b16-d2-replicated" / "2")
        done = subprocess.run([PROGRAM, "watch", left, "--once"], capture_output=True, text=True,
                              timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("[3/4] stopped before its end\n"), done.stdout)
        (left / "sweep.json").write_text("{")
        done = subprocess.run([PROGRAM, "watch", left, "--once"], capture_output=True, text=True,
                              timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected a whole sweep.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
