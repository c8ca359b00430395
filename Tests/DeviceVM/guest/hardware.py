"""A sensor and a battery that are set by hand: registers of an LM75 behind the kernel's i2c-stub, and a HID device that tells
how full its battery is.

hardware.py BUS: obeys lines on its standard input: `temperature DEGREES`, `plug PERCENT`, `battery PERCENT`, `unplug`.
"""
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

I2C_SLAVE_FORCE, I2C_SMBUS = 0x0706, 0x0720
WRITE, WORD = 0, 3
LM75, TEMPERATURE = 0x48, 0
UHID_DESTROY, UHID_GET_REPORT, UHID_GET_REPORT_REPLY, UHID_CREATE2, UHID_INPUT2 = 1, 9, 10, 11, 12
BUS_USB = 3
#: A keyboard of seven keys, and before them the strength of a battery of 0 to 100.
DESCRIPTOR = bytes.fromhex("05010906a101 050609201500266400750895018102 05071904290a1500250175019508 8102 c0")


class Access(ctypes.Structure):
    _fields_ = [("direction", ctypes.c_uint8), ("register", ctypes.c_uint8), ("size", ctypes.c_uint32), ("data", ctypes.c_void_p)]


def set_temperature(bus, degrees):
    """The chip has the high octet first, SMBus the low one."""
    data = (ctypes.c_uint8 * 34)(degrees, 0)
    device = os.open(f"/dev/i2c-{bus}", os.O_RDWR)
    fcntl.ioctl(device, I2C_SLAVE_FORCE, LM75)
    fcntl.ioctl(device, I2C_SMBUS, Access(WRITE, TEMPERATURE, WORD, ctypes.addressof(data)))
    os.close(device)


class Battery:
    """/sys/class/power_supply/hid-cell-battery, for as long as it is open."""

    def __init__(self, percent):
        self.device = os.open("/dev/uhid", os.O_RDWR)
        self.percent = percent
        names = struct.pack("128s64s64s", b"Remote control", b"", b"cell")
        numbers = struct.pack("<HHIIII", len(DESCRIPTOR), BUS_USB, 0x1209, 1, 1, 0)
        os.write(self.device, struct.pack("<I", UHID_CREATE2) + names + numbers + DESCRIPTOR.ljust(4096, b"\0"))
        # What comes before the kernel has made its battery is lost.
        while select.select([self.device], [], [], 1)[0]:
            self.serve()
        self.tell(percent)

    def tell(self, percent):
        self.percent = percent
        os.write(self.device, struct.pack("<IHBB", UHID_INPUT2, 2, percent, 0))

    def serve(self):
        event = os.read(self.device, 8_192)
        kind, number = struct.unpack_from("<II", event)
        if kind == UHID_GET_REPORT:
            os.write(self.device, struct.pack("<IIHHBB", UHID_GET_REPORT_REPLY, number, 0, 2, self.percent, 0))

    def unplug(self):
        os.write(self.device, struct.pack("<I", UHID_DESTROY))
        os.close(self.device)


def obey(bus, battery, order, *values):
    """Returns the battery that is plugged now."""
    if order == "temperature":
        set_temperature(bus, int(values[0]))
    elif order == "plug":
        return Battery(int(values[0]))
    elif order == "battery":
        battery.tell(int(values[0]))
    else:
        battery.unplug()
        return None
    return battery


def main():
    battery = None
    while True:
        ready, _, _ = select.select([0, battery.device] if battery else [0], [], [])
        if 0 in ready:
            for line in os.read(0, select.PIPE_BUF).decode().splitlines():
                battery = obey(int(sys.argv[1]), battery, *line.split())
                print(int(time.time() * 1_000), line, flush=True)
        elif battery:
            battery.serve()


main()
