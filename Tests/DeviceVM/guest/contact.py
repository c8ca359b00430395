"""A cabinet's contact: an input device with one switch. It obeys lines on its standard input: `plug`, `unplug`, `open`, `close`;
a switch that is plugged is closed."""
import fcntl
import struct
import sys
import time

EV_SYN, EV_SW, SW_MACHINE_COVER = 0, 5, 16
UI_SET_EVBIT, UI_SET_SWBIT, UI_DEV_SETUP, UI_DEV_CREATE, UI_DEV_DESTROY = 0x40045564, 0x4004556D, 0x405C5503, 0x5501, 0x5502


def plug():
    device = open("/dev/uinput", "wb", buffering=0)
    fcntl.ioctl(device, UI_SET_EVBIT, EV_SW)
    fcntl.ioctl(device, UI_SET_SWBIT, SW_MACHINE_COVER)
    fcntl.ioctl(device, UI_DEV_SETUP, struct.pack("HHHH80sI", 3, 1, 2, 1, b"Cabinet", 0))
    fcntl.ioctl(device, UI_DEV_CREATE)
    return device


def unplug(device):
    fcntl.ioctl(device, UI_DEV_DESTROY)
    device.close()


def turn(device, value):
    for event in ((EV_SW, SW_MACHINE_COVER, value), (EV_SYN, 0, 0)):
        device.write(struct.pack("llHHi", 0, 0, *event))


device = None
for line in sys.stdin:
    order = line.strip()
    if order == "plug":
        device = plug()
    elif order == "unplug":
        unplug(device)
    else:
        turn(device, order == "open")
    print(int(time.time() * 1_000), order, flush=True)
