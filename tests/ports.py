"""Ports for tests that start ranks over tcp."""
import contextlib
import random
import socket


def free_port(count=3):
    """Neither this port nor those after it, which ranks take for data, are in use. Below 32768, where the
    kernel takes ports for connections: there it may give one away before a rank listens on it."""
    while True:
        first = random.randrange(10000, 30000)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for port in range(first, first + count):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
            return first
