"""Hosts for end-to-end tests: several on one machine, with ssh, shaped links and Slurm.

    with Hosts(2, rate="1gbit") as hosts:
        done = hosts.run("node1", ["ssh", "node2", "hostname"])
        with Slurm(hosts) as slurm:
            done = slurm.run(["srun", "-N2", "hostname"])
        hosts.assert_nothing_left()

Whatever happens to the process that entered these contexts, the hosts and all that runs on them end
with it: the kernel sees to that. README.md tells what the hosts are made of."""

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


class BedError(Exception):
    """The bed does not come up, or does not do what was asked; says what the machine lacks."""


class Process(subprocess.Popen):
    """A command on a host. Leads a process group; signals go to the command itself."""

    def send_signal(self, number):
        # Our child is the nsenter that waits for the command and ends as it ends.
        deadline = time.monotonic() + 5
        while self.poll() is None:
            command = subprocess.run(["pgrep", "--parent", str(self.pid)], capture_output=True,
                                     text=True).stdout
            if command:
                os.kill(int(command), number)
                return
            if time.monotonic() > deadline:
                raise BedError(f"{self.args} does not start")
            time.sleep(0.01)

    def end(self):
        """Kills the group, if there is anything left of it."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.wait(timeout=10)
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                stream.close()


class _Service:
    """A script beside this file that says "up" and then lasts until its standard input ends."""

    def __init__(self, name, directory, *arguments):
        self._log = directory / f"{name}.log"
        self._command = [HERE / name, directory, *arguments]

    def __enter__(self):
        with open(self._log, "w") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=log,
                                             start_new_session=True)
        try:
            answers, _, _ = select.select([self._process.stdout], [], [], 60)
            if not answers or self._process.stdout.readline() != b"up\n":
                raise BedError(self._log.read_text() or f"{self._command} is not up after 60 s")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()


class Hosts:
    """The hosts node1, node2, ...; `directory`, of which all see the same, is for their files.

    With own_processors, each has its share of the machine's, so that none takes time from another
    as long as there are enough; without, each believes to have all."""

    def __init__(self, count, rate=None, own_processors=False):
        self.names = [f"node{i + 1}" for i in range(count)]
        self._rate = rate
        self._own_processors = own_processors
        self._started = []

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
            stack.callback(signal.signal, signal.SIGTERM, previous)
            self.directory = pathlib.Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="bed.")))
            if self._own_processors:
                self._share_out_processors()
            stack.callback(lambda: [process.end() for process in self._started])
            stack.enter_context(_Service("hosts", self.directory, str(len(self.names)),
                                         *([self._rate] if self._rate else [])))
            self._pids = {name: int((self.directory / name / "pid").read_text())
                          for name in self.names}
            self.accept_what_is_there()
            self._undo = stack.pop_all()
        return self

    def __exit__(self, kind, error, traceback):
        if error is not None:
            error.add_note(self.logs())
        self._undo.close()

    def _share_out_processors(self):
        processors = sorted(os.sched_getaffinity(0))
        share = max(1, len(processors) // len(self.names))
        for i, name in enumerate(self.names):
            (self.directory / name).mkdir()
            mine = [processors[(i * share + j) % len(processors)] for j in range(share)]
            (self.directory / name / "cpus").write_text(",".join(map(str, mine)) + "\n")

    def start(self, host, command, **options):
        """A Process; options are Popen's. What it prints is captured unless they say otherwise."""
        options = {"text": True, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE} | options
        process = Process([HERE / "on", self.directory, host, *command], start_new_session=True,
                          **options)
        self._started.append(process)
        return process

    def run(self, host, command, timeout=60, **options):
        """A CompletedProcess; raises TimeoutExpired, after having killed the command."""
        process = self.start(host, command, **options)
        try:
            out, errors = process.communicate(timeout=timeout)
        except BaseException:
            process.end()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    def cut(self, host):
        """From now on the host's link loses everything; neither end is told."""
        self._link(host, "cut")

    def part(self, *hosts):
        """From now on these hosts do not reach each other, but still all the rest."""
        for host in hosts:
            self._link(host, "part")

    def heal(self, host):
        self._link(host, "heal")

    def rate(self, host, rate):
        self._link(host, "rate", rate)

    def _link(self, host, *action):
        done = subprocess.run([HERE / "link", self.directory, host, *action], capture_output=True,
                              text=True, timeout=10)
        if done.returncode != 0:
            raise BedError(done.stderr)

    def crash(self, host):
        """As if the power failed: the host is gone, and its peers hear nothing of it."""
        self.cut(host)
        os.kill(self._pids.pop(host), signal.SIGKILL)

    @contextlib.contextmanager
    def iperf_server(self, host):
        """For one client, which may begin at once."""
        server = self.start(host, ["iperf3", "--server", "--one-off", "--forceflush"])
        try:
            for line in server.stdout:
                if "listening" in line:
                    break
            yield
        finally:
            server.end()

    def iperf(self, sender, receiver, seconds=3):
        """What iperf3 moves over one TCP connection, in bits/s."""
        with self.iperf_server(receiver):
            done = self.run(sender, ["iperf3", "--client", receiver, "--time", str(seconds),
                                     "--json"], timeout=seconds + 20)
        report = json.loads(done.stdout)
        if "error" in report:
            raise BedError(report["error"])
        return report["end"]["sum_received"]["bits_per_second"]

    def processes(self, host):
        """The processes of a host: {id as this process sees it: command line}."""
        space = os.readlink(f"/proc/{self._pids[host]}/ns/pid")
        found = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "ns/pid") == space:
                    words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                    found[int(entry.name)] = " ".join(words).strip()
            except OSError:
                pass  # it ended while we looked, or hides itself even from root
        return found

    def _everything(self):
        """{what identifies a process or file of a host: what a reader wants to know of it}"""
        found = {}
        for host, init in self._pids.items():
            for pid, command in self.processes(host).items():
                found[host, pid] = f"{host}: process {pid}: {command}"
            for directory in ("/tmp", "/dev/shm"):
                for name in os.listdir(f"/proc/{init}/root{directory}"):
                    found[host, directory, name] = f"{host}: {directory}/{name}"
        return found

    def accept_what_is_there(self):
        """From now on, what is on the hosts does not count as left over."""
        self._accepted = self._everything().keys()

    def assert_nothing_left(self, within=5):
        """No process, temporary file or shared memory but what was accepted, on any live host."""
        deadline = time.monotonic() + within
        while left := [text for key, text in self._everything().items()
                       if key not in self._accepted]:
            if time.monotonic() > deadline:
                raise AssertionError("left on the hosts:\n" + "\n".join(left))
            time.sleep(0.05)

    def logs(self):
        """The last lines of every log of the bed."""
        return "\n".join(f"--- {log.relative_to(self.directory)}\n"
                         + "".join(log.read_text(errors="replace").splitlines(True)[-20:])
                         for log in sorted(self.directory.rglob("*log")) if log.stat().st_size)


class Slurm:
    """Slurm on hosts that are up: node1 has the controller, all of them run jobs."""

    def __init__(self, hosts):
        self._hosts = hosts

    def __enter__(self):
        self._service = _Service("slurm", self._hosts.directory)
        self._service.__enter__()
        self._hosts.accept_what_is_there()
        return self

    def __exit__(self, *_):
        self._service.__exit__()

    def start(self, command, **options):
        return self._hosts.start("node1", command, **options)

    def run(self, command, timeout=60, **options):
        return self._hosts.run("node1", command, timeout, **options)
