#!/usr/bin/env python3
"""A network of two addresses that delays and loses IP packets, for kernels without netem.

    lossy-link.py ONE-WAY-MS LOSS SOCKET

Two TUN devices, one of them in a network namespace of its own, carry each other's packets: each takes ONE-WAY-MS, and LOSS (0 to 1) of them get
lost, so both ends see what TCP makes of that. Connections to the far address are passed to the Unix socket SOCKET, which network
namespaces share. Prints "NEAR FAR PORT" when it is ready, and ends when its stdin does. Needs root and iproute2.
"""

import asyncio
import ctypes
import fcntl
import os
import random
import struct
import subprocess
import sys

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000
NEAR, FAR, PORT = "10.99.0.1", "10.99.0.2", 2222


def device(name, here, there):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    subprocess.run(["ip", "addr", "add", here, "peer", there, "dev", name], check=True)
    # Packets of 1500 bytes at most: the size of a real network.
    subprocess.run(["ip", "link", "set", name, "up", "mtu", "1500"], check=True)
    return fd


def carry(loop, source, target, delay, loss, rng):
    def send(packet):
        try:
            os.write(target, packet)
        except BlockingIOError:
            pass  # A full queue loses packets too.

    def receive():
        packet = os.read(source, 65536)
        if rng.random() >= loss:
            loop.call_later(delay, send, packet)

    loop.add_reader(source, receive)


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main(one_way_ms, loss, path):
    near = device("lossy-near", NEAR, FAR)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    far = device("lossy-far", FAR, NEAR)
    loop = asyncio.get_running_loop()
    rng = random.Random(1)
    for source, target in ((near, far), (far, near)):
        carry(loop, source, target, one_way_ms / 1000, loss, rng)

    async def accepted(reader, writer):
        there_reader, there_writer = await asyncio.open_unix_connection(path)
        await asyncio.gather(copy(reader, there_writer), copy(there_reader, writer))

    await asyncio.start_server(accepted, FAR, PORT)
    print(NEAR, FAR, PORT, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
