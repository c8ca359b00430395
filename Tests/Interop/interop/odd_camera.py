"""A camera's program that does as a file tells it, for tests: numbered pictures as YUV4MPEG2, or what none should write.

usage: odd_camera.py FOLDER    FOLDER/mode is read at the start; FOLDER/processes gets its number, and that of what it starts.
"""
import os
import pathlib
import subprocess
import sys
import time

from interop import pattern

WIDTH, HEIGHT, RATE = 160, 120, 15


def main(folder):
    mode = (folder / "mode").read_text()
    # What a program starts has to end with it.
    child = subprocess.Popen(["sleep", "1000"])
    with open(folder / "processes", "a") as log:
        log.write(f"{os.getpid()}\n{child.pid}\n")
    print(f"mode {mode}", file=sys.stderr, flush=True)
    {"good": show, "errors": complain, "exits": leave, "garbage": rave, "flood": hurry, "silent": wait,
     "size": grow}[mode]()


def show(width=WIDTH, pause=1 / RATE, complaints=0):
    output = sys.stdout.buffer
    output.write(f"YUV4MPEG2 W{width} H{HEIGHT} F{RATE}:1 C420jpeg\n".encode())
    chroma = bytes([128]) * (width * HEIGHT // 2)
    begin = time.monotonic()
    for number in range(1 << 24):
        luma = pattern.caller_picture(pattern.Mark(number, 0), width, HEIGHT)
        output.write(b"FRAME\n" + luma.tobytes() + chroma)
        output.flush()
        for _ in range(complaints):
            print("something is wrong, and this line is written again and again", file=sys.stderr)
        time.sleep(max(0, begin + (number + 1) * pause - time.monotonic()))


def complain():
    show(complaints=2_000)


def leave():
    sys.exit(3)


def rave():
    while True:
        sys.stdout.buffer.write(os.urandom(65_536))


def hurry():
    sys.stdout.buffer.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1\n".encode())
    frame = b"FRAME\n" + bytes(WIDTH * HEIGHT * 3 // 2)
    while True:
        sys.stdout.buffer.write(frame * 20)


def wait():
    time.sleep(1_000)


def grow():
    show(width=2 * WIDTH)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
