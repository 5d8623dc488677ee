#!/usr/bin/env python3
"""Attacks the real program, as strangers and as ranks that hold the token, and counts what it bore.

A stranger changes nothing: the run completes, and its numbers are right. A rank that holds the token and
misbehaves ends the run with code 5 and its name. Nothing that is sent aborts or crashes a process.

A suite of attacks is a class; to add one, write a class with tests that call count().

Usage: attack_test.py PROGRAM [unittest arguments]"""

import collections
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import random
import resource
import socket
import struct
import subprocess
import sys
import unittest

from ports import free_port

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SMALL = ["comm", "--sizes=1KB", "--iterations=2", "--oversubscribe", "--num_intra_threads=1", "--json"]
TOKEN = "0123456789abcdef"
SECONDS = 60  # for anything: far more than needed

KINDS = ("greeting challenge hello welcome refusal waiting table beat part whole failure wish suspicion "
         "goodbye output end").split()
MAGIC = b"LSP2"

counts = collections.Counter()


def count(what, number=1):
    counts[what] += number


def frame(kind, body=b"", magic=MAGIC, size=None):
    number = KINDS.index(kind) if isinstance(kind, str) else kind
    return magic + struct.pack("<II", number, len(body) if size is None else size) + body


def pack(*texts):
    texts = [text.encode() if isinstance(text, str) else text for text in texts]
    return b"".join(struct.pack("<Q", len(text)) + text for text in texts)


def unpack(packed):
    texts = []
    while packed:
        size = struct.unpack("<Q", packed[:8])[0]
        texts.append(packed[8:8 + size])
        packed = packed[8 + size:]
    return texts


def proof(key, end, nonces, text=b""):
    return hmac.new(key.encode(), f"lockstep {end}".encode() + nonces + text, hashlib.sha256).digest()


def member(rank=1, world=2, address=":1", key="elsewhere", name="evil", process=7, secret=1):
    return pack(str(rank), str(world), key, name, str(process), address, str(secret))


def read_exactly(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError("closed")
        data += piece
    return data


def read_frame(connection):
    header = read_exactly(connection, 12)
    kind, size = struct.unpack("<II", header[4:])
    return KINDS[kind], read_exactly(connection, size)


def dial(address):
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def patient_dial(address):
    while True:  # until the process listens; the run as a whole has a time limit
        with contextlib.suppress(ConnectionRefusedError):
            return dial(address)


def introduce(connection, hello, key=TOKEN):
    """The dialling end's handshake; returns the bytes of its hello."""
    mine = os.urandom(32)
    connection.sendall(frame("greeting", mine))
    kind, challenge = read_frame(connection)
    assert kind == "challenge", kind
    nonces = mine + challenge[:32]
    said = frame("hello", proof(key, "dials", nonces, hello) + hello)
    connection.sendall(said)
    return said


def receive(connection, key=TOKEN):
    """The accepting end's; returns the hello."""
    kind, theirs = read_frame(connection)
    assert kind == "greeting", kind
    mine = os.urandom(32)
    connection.sendall(frame("challenge", mine + proof(key, "accepts", theirs + mine)))
    kind, answer = read_frame(connection)
    assert kind == "hello", kind
    connection.sendall(frame("welcome"))
    return answer[32:]


def wait_for_end(connection):
    """Returns what still came."""
    data = b""
    with contextlib.suppress(OSError):
        while piece := connection.recv(65536):
            data += piece
    return data


class Rank:
    def __init__(self, rank, address, arguments=tuple(SMALL), token=TOKEN, world=2):
        variables = {"LOCKSTEP_RANK": rank, "LOCKSTEP_WORLD_SIZE": world, "LOCKSTEP_LOCAL_RANK": rank,
                     "LOCKSTEP_LOCAL_WORLD_SIZE": world, "LOCKSTEP_COORDINATOR": address,
                     "LOCKSTEP_TOKEN": token, "LOCKSTEP_CONV_ALGORITHM": "direct"}
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, limit)))

    def end(self):
        output, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, output, errors

    def close(self):
        self.process.kill()
        self.process.communicate()


class Attack(unittest.TestCase):
    def setUp(self):
        self.address = f"127.0.0.1:{free_port()}"

    def rank(self, *arguments, **options):
        rank = Rank(*arguments, **options)
        self.addCleanup(rank.close)
        return rank

    def dial(self):
        connection = patient_dial(self.address)
        self.addCleanup(connection.close)
        return connection

    def complete(self, rank0):
        """The run that was attacked: the other rank comes, and all is as if nothing had happened."""
        rank1 = self.rank(1, self.address)
        code, output, errors = rank0.end()
        self.assertEqual(code, 0, errors)
        self.assertEqual(rank1.end()[0], 0)
        rows = json.loads(output)["rows"]
        self.assertEqual({row["wrong"] for row in rows}, {0})
        self.assertEqual(json.loads(output)["configuration"]["ranks"], 2)
        count("runs that completed in spite of it")
        return errors

    def end_with_a_culprit(self, rank, culprit, errors_have=""):
        code, _, errors = rank.end()
        self.assertEqual(code, 5, errors)
        self.assertIn(culprit, errors)
        self.assertIn(errors_have, errors)
        for character in errors:
            self.assertTrue(character.isprintable() or character == "\n", repr(errors))
        count("runs that named the culprit")


class Strangers(Attack):
    """Who cannot prove the token is dropped without effect."""

    def test_speak_anything(self):
        rank0 = self.rank(0, self.address)
        nonce = os.urandom(32)
        hellos = [b"", b"\0", b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096),
                  frame("greeting", nonce, size=0xffffffff), frame("greeting", nonce[:5]),
                  frame("greeting", nonce, magic=b"LSP1"), frame(99), frame(0xffffffff, size=0xffffffff),
                  frame("part", size=1 << 30), frame("whole", size=0xffffffff), frame("table", b"x" * 100),
                  frame("greeting", nonce) + frame("hello", b"short"),
                  frame("greeting", nonce) + frame("hello", bytes(32) + member(address="no address")),
                  frame("greeting", nonce) + frame("hello", bytes(32) + member()),
                  frame("greeting", nonce) + frame("hello", size=0xffffffff),
                  frame("greeting", nonce) * 3, frame("hello", member()), frame("goodbye"),
                  frame("failure", pack("I", "say so"))]
        for hello in hellos:
            connection = self.dial()
            with contextlib.suppress(OSError):
                connection.sendall(hello)
                connection.shutdown(socket.SHUT_WR)
            # There is no answer but the challenge.
            self.assertLessEqual(len(wait_for_end(connection)), 12 + 64, hello[:40])
            count("malformed greetings")
        errors = self.complete(rank0)
        self.assertIn("turned away a connection from 127.0.0.1", errors)

    def test_mutate_a_greeting(self):
        rank0 = self.rank(0, self.address)
        whole = frame("greeting", os.urandom(32)) + frame("hello", os.urandom(32) + member())
        mutations = random.Random(18)
        for _ in range(300):
            bytes_ = bytearray(whole)
            for _ in range(mutations.randrange(1, 5)):
                bytes_[mutations.randrange(len(bytes_))] = mutations.randrange(256)
            connection = self.dial()
            with contextlib.suppress(OSError):
                connection.sendall(bytes_[:mutations.randrange(len(bytes_) + 1)])
                connection.shutdown(socket.SHUT_WR)
            self.assertLessEqual(len(wait_for_end(connection)), 12 + 64)
            connection.close()
            count("mutants of a greeting")
        self.complete(rank0)

    def test_have_no_token_or_another_one(self):
        for token in ("", "another"):
            self.address = f"127.0.0.1:{free_port()}"
            rank0 = self.rank(0, self.address)
            connection = self.dial()
            introduce(connection, member(), key=token)
            self.assertEqual(wait_for_end(connection), b"")
            count("proofs of another token")
            self.assertIn("with another token", self.complete(rank0))

    def test_replay_a_hello(self):
        rank0 = self.rank(0, self.address)
        first = self.dial()
        said = introduce(first, member(rank=7, name="recorded"))
        self.assertEqual([read_frame(first)[0] for _ in range(2)], ["welcome", "refusal"])
        first.close()
        again = self.dial()
        again.sendall(frame("greeting", os.urandom(32)))
        read_frame(again)
        again.sendall(said)
        self.assertEqual(wait_for_end(again), b"")
        count("replayed hellos")
        self.assertIn("turned away rank 7 on recorded", self.complete(rank0))

    def test_claim_large_bodies_and_send_none(self):
        rank0 = self.rank(0, self.address)
        connections = [self.dial() for _ in range(64)]
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.sendall(frame("hello", size=1 << 30))
                count("headers of a GiB")
        for connection in connections:
            wait_for_end(connection)
        peak = pathlib.Path(f"/proc/{rank0.process.pid}/status").read_text().split("VmHWM:")[1].split()[0]
        self.assertLess(int(peak), 500_000, "KiB")
        self.complete(rank0)

    def test_are_many_and_silent(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        rank0 = self.rank(0, self.address)
        self.dial()
        host, port = self.address.split(":")
        for _ in range(1100):
            connection = socket.create_connection((host, int(port)), timeout=SECONDS)
            self.addCleanup(connection.close)
            count("silent connections")
        self.complete(rank0)

    def test_listen_in_place_of_rank_0(self):
        host, port = self.address.split(":")
        with socket.create_server((host, int(port))) as impostor:
            rank1 = self.rank(1, self.address)
            for answer in (b"", os.urandom(500), frame("challenge", os.urandom(64)), frame("challenge", b"short"),
                           frame("table", pack(member(rank=0))), frame("refusal", b"go away"), frame("welcome"),
                           frame("whole", size=0xffffffff)):
                connection, _ = impostor.accept()
                with connection:
                    read_frame(connection)
                    with contextlib.suppress(OSError):
                        connection.sendall(answer)
                        connection.shutdown(socket.SHUT_WR)
                    # Whoever does not prove the token hears nothing of the rank.
                    self.assertNotIn(b"127.0.0.1", wait_for_end(connection))
                count("impostors of rank 0")
        rank0 = self.rank(0, self.address)
        code, output, errors = rank0.end()
        self.assertEqual((code, rank1.end()[0]), (0, 0), errors)
        self.assertEqual({row["wrong"] for row in json.loads(output)["rows"]}, {0})
        count("runs that completed in spite of it")


class Controllers(Attack):
    """A controller listens to rank 0 alone, and to that one no further than it speaks the protocol."""

    def controller(self):
        workers = f"127.0.0.1:{free_port()}"
        flags = ["run", "--model=mnist_mlp", "--batch_size=4", "--num_batches=3", "--num_warmup_batches=1",
                 "--num_intra_threads=1", "--variable_update=distributed_all_reduce",
                 f"--worker_hosts={workers}", f"--controller_host={self.address}"]
        return flags, self.rank(0, workers, arguments=[*flags, "--job_name=controller"])

    def test_are_not_fooled_by_strangers(self):
        flags, controller = self.controller()
        end = frame("output", b"total images/sec: 1e9") + frame("end", pack("0", pack("", "")))
        for hostile in (b"", os.urandom(500), end, frame("greeting", os.urandom(32)) + end,
                        frame("greeting", os.urandom(32)) + frame("hello", bytes(32) + member(rank=0)) + end):
            connection = self.dial()
            with contextlib.suppress(OSError):
                connection.sendall(hostile)
                connection.shutdown(socket.SHUT_WR)
            self.assertLessEqual(len(wait_for_end(connection)), 12 + 64)
            count("strangers at a controller")
        for key, rank in (("another", 0), (TOKEN, 1)):
            connection = self.dial()
            introduce(connection, member(rank=rank), key=key)
            with contextlib.suppress(OSError):
                connection.sendall(end)
            wait_for_end(connection)
            count("strangers at a controller")
        rank0 = self.rank(0, self.address, arguments=[*flags, "--job_name=worker"])
        code, output, errors = rank0.end()
        self.assertEqual(code, 0, errors)
        self.assertIn("total images/sec: ", output)
        self.assertEqual(controller.end()[:2], (0, output))
        count("runs that completed in spite of it")

    def test_name_a_rank_0_that_sends_nonsense(self):
        for hostile in (frame("end", b""), frame("end", pack("-1", pack("", ""))), frame("end", pack("0", "x")),
                        frame("table", b""), frame("output", size=0xffffffff), b"\0" * 64):
            self.address = f"127.0.0.1:{free_port()}"
            _, controller = self.controller()
            connection = self.dial()
            introduce(connection, member(rank=0))
            self.assertEqual(read_frame(connection)[0], "welcome")
            connection.sendall(frame("output", b"\x1b[2J\n") + hostile)
            count("hostile frames of a rank")
            self.end_with_a_culprit(controller, "rank 0 on evil was lost: it sent what is not a message")


class Tokens(Attack):
    def test_that_differ_end_the_rank_that_came_and_no_other(self):
        rank0 = self.rank(0, self.address)
        for token in ("", "another"):
            code, _, errors = self.rank(1, self.address, token=token).end()
            self.assertEqual(code, 2, errors)
            self.assertIn("have different tokens", errors)
            self.assertIn("--token_file", errors)
            count("ranks with another token")
        self.assertIn("with another token", self.complete(rank0))

    def test_are_not_where_others_see_them(self):
        rank0 = self.rank(0, self.address)
        words = pathlib.Path(f"/proc/{rank0.process.pid}/cmdline").read_bytes()
        self.assertNotIn(TOKEN.encode(), words)
        self.assertNotIn(TOKEN, self.complete(rank0))


class TokenHolders(Attack):
    """Who has the token and misbehaves ends the run in order, by name."""

    def join(self, **changes):
        """As rank 1, until rank 0 has told the table."""
        connection = self.dial()
        introduce(connection, member(**changes))
        kind, body = read_frame(connection)
        self.assertEqual(kind, "welcome")
        while kind != "table":
            kind, body = read_frame(connection)
        return connection, unpack(body)

    def attack(self, *frames, rank_1_is=None, **changes):
        self.address = f"127.0.0.1:{free_port()}"
        rank0 = self.rank(0, self.address)
        connection, _ = self.join(**changes)
        connection.sendall(b"".join(frames))
        count("hostile frames of a rank", len(frames))
        self.end_with_a_culprit(rank0, rank_1_is or "rank 1 on evil")

    def own_key(self):
        """The key of this host, with which a rank counts as a neighbour of rank 0: no data connection."""
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return " ".join([boot] + [os.readlink(f"/proc/self/ns/{space}") for space in ("pid", "user", "net")])

    def test_send_malformed_frames(self):
        for hostile in (frame("failure", pack("one text")), frame("hello", member()), frame("greeting", bytes(32)),
                        frame("suspicion", pack("x", "y")), frame("suspicion", pack("-5", "y")),
                        frame("suspicion", pack("99999999", "y")), frame("suspicion", b"\xff" * 8),
                        frame("whole", pack("a", "b")), frame("table", pack("a")), frame("beat", b"soon"),
                        frame("beat", b"1" * 64), frame("wish", b"", size=4), frame(77), b"\0" * 64,
                        frame("part", b"") * 2, frame("part", size=0xffffffff)):
            self.attack(hostile, key=self.own_key())

    def test_send_texts_that_are_none(self):
        # One for the connection, one instead of the options.
        for text in (b"", b"[", b"null", b'{"/model":', b"\xff\xfe", b"9" * 100_000, b"[" * 100_000):
            self.attack(frame("part", b""), frame("part", text), frame("part", text), key=self.own_key())

    def test_send_texts_that_would_move_the_cursor(self):
        rank0 = self.rank(0, self.address)
        connection, _ = self.join(key=self.own_key(), name="\x1b[2Jevil\n")
        connection.sendall(frame("failure", pack("\x1b[31mred\r\n\x07" + "x" * 20_000, "\x9b\x1b]0;title\x07")))
        count("hostile frames of a rank")
        code, _, errors = rank0.end()
        self.assertEqual(code, 5)
        self.assertIn("red", errors)
        for character in errors:
            self.assertTrue(character.isprintable() or character == "\n", repr(character))
        self.assertLess(len(errors), 10_000)

    def test_have_an_address_that_is_none(self):
        rank0 = self.rank(0, self.address)
        for address in ("", "x", "x:y", "a b\n:1", "h" * 5000 + ":1"):
            connection = self.dial()
            introduce(connection, member(address=address))
            self.assertIn(wait_for_end(connection), (frame("welcome"), b""))
            count("malformed members")
        for rank, world in (("-1", "2"), ("1", "-2"), ("99999999999", "2"), ("x", "2"), ("1", "4294967298")):
            connection = self.dial()
            introduce(connection, pack(rank, world, "k", "n", "1", ":1", "1"))
            wait_for_end(connection)
            count("malformed members")
        self.complete(rank0)

    def test_send_data_that_nobody_asked_for(self):
        header = struct.Struct("<IB3xQ")
        for message in (header.pack(0, 77, 4) + bytes(16), header.pack(0, 0, 1 << 63), b"\xff" * 4096):
            self.address = f"127.0.0.1:{free_port()}"
            rank0 = self.rank(0, self.address)
            connection, table = self.join()
            fields = unpack(table[0])
            data = dial(self.address.split(":")[0] + fields[5].decode())
            introduce(data, b"1", key=f"{TOKEN} {fields[6].decode()}")
            self.assertEqual(read_frame(data)[0], "welcome")
            data.sendall(message)
            count("hostile messages of data")
            self.end_with_a_culprit(rank0, "rank 1 on evil", "it sent data that nobody asked for")
            data.close()

    def test_play_rank_0(self):
        host, port = self.address.split(":")
        for answer in (frame("table", pack(member(rank=0))), frame("table"), frame("table", pack("a", "b")),
                       frame("whole", pack("a")), frame("beat", b"0"), frame(99),
                       frame("table", pack(member(rank=1), member(rank=0))), frame("waiting", b"x", size=1 << 30)):
            with socket.create_server((host, int(port))) as impostor:
                rank1 = self.rank(1, self.address)
                connection, _ = impostor.accept()
                with connection:
                    receive(connection)
                    connection.sendall(answer)
                    self.end_with_a_culprit(rank1, f"rank 0 at {self.address}")
            count("hostile frames of rank 0")

    def test_play_rank_0_after_the_table(self):
        host, port = self.address.split(":")
        for answer in (frame("whole", pack("a")), frame("whole", pack("a", "b", "c")), frame("part", b"x"),
                       frame("suspicion", pack("1", "y")), frame("refusal", b"x"), frame("failure", b"x")):
            with socket.create_server((host, int(port))) as impostor:
                rank1 = self.rank(1, self.address)
                connection, _ = impostor.accept()
                with connection:
                    fields = unpack(receive(connection))
                    mine = member(rank=0, key=fields[2].decode())
                    connection.sendall(frame("table", pack(mine, pack(*fields))))
                    connection.sendall(answer)
                    self.end_with_a_culprit(rank1, "rank 0 on evil")
            count("hostile frames of rank 0")


def tearDownModule():
    print("\n".join(f"{number:6} {what}" for what, number in sorted(counts.items())), file=sys.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
