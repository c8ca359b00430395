"""Sends what looks like SRTP from a socket that it is given, 100 Mbit/s; tells how many packets: `python -m abuse.rtp_flood`."""
import argparse
import random
import socket
import struct
import time

from interop.flood import Batch

SECONDS, RATE = 8.0, 100e6
SIZE, BATCHES = 1_200, 40


def packet(ssrc, chance):
    """VP8's and Opus's usual payload types, any number and time, and noise where the cipher text and its tag belong."""
    head = struct.pack("!BBHII", 0x80, chance.choice((96, 111)), chance.getrandbits(16), chance.getrandbits(32), ssrc)
    return head + chance.randbytes(SIZE - len(head))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptor", type=int, required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--ssrc", type=int, required=True)
    options = parser.parse_args()
    chance = random.Random(options.ssrc)
    batches = [Batch(chance, options.address, options.port, lambda chance: packet(options.ssrc, chance))
               for _ in range(BATCHES)]
    end = socket.socket(fileno=options.descriptor)
    begin, sent, turn = time.monotonic(), 0, 0
    while (passed := time.monotonic() - begin) < SECONDS:
        if 8 * sent * SIZE >= passed * RATE:
            time.sleep(0.0005)
            continue
        sent += batches[turn % BATCHES].send(end)
        turn += 1
    end.detach()
    print(sent, flush=True)


if __name__ == "__main__":
    main()
