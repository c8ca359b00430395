#!/usr/bin/env python3
"""Starts the test device: a Debian virtual machine with a kernel camera, a sound card, gpsd and systemd.

`machine.py save FOLDER` boots FOLDER's image once and keeps its memory as FOLDER/ready.state;
`machine.py run FOLDER SHARE [--timeout S]` resumes it, runs SHARE/run.sh inside and exits with its status.

Besides the root, whose changes are thrown away, the guest has an empty disk, /dev/vdb, which can outlive it.
"""
import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


DISK_SIZE = 192 * 1024 * 1024


def command(folder, share, disk, sockets, *, is_saving=False, is_networked=False):
    """The device list: it must be the same when the state is saved and when it is resumed.

    The guest that is saved writes to the image itself, since its memory knows those writes; later ones write to
    overlays that are thrown away.

    The guest's clock counts instructions, 500 million a second, so its timing is that of a small device whatever else
    the host does: a busy host makes the run longer, not the recording worse. That permits one processor only.

    The guest has a network card in any case, which leads nowhere unless it `is_networked`; its interface is down.
    """
    snapshot = "off" if is_saving else "on"
    return [
        "qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=single", "-icount", "shift=1,sleep=on",
        "-cpu", "max", "-smp", "1", "-m", "768",
        "-nodefaults", "-display", "none", "-no-reboot",
        "-kernel", f"{folder}/vmlinuz", "-initrd", f"{folder}/initrd.gz",
        "-append", "console=ttyS0 root=/dev/vda rw quiet systemd.show_status=0 mitigations=off",
        "-drive", f"file={folder}/rootfs.ext4,format=raw,if=none,id=root,snapshot={snapshot},cache=unsafe",
        "-device", "virtio-blk-pci,drive=root",
        "-drive", f"file={disk},format=raw,if=none,id=data,cache=unsafe", "-device", "virtio-blk-pci,drive=data",
        "-chardev", f"socket,id=driver,path={sockets}/driver,server=on,wait=off",
        "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=driver,name=driver",
        "-serial", f"file:{sockets}/console",
        "-fsdev", f"local,id=host,path={share},security_model=none",
        "-device", "virtio-9p-pci,fsdev=host,mount_tag=host",
        "-netdev", f"user,id=host,restrict={'off' if is_networked else 'on'}",
        "-device", "virtio-net-pci,netdev=host,romfile=",
        "-monitor", f"unix:{sockets}/monitor,server=on,wait=off",
    ]


def make_disk(path):
    with open(path, "wb") as file:
        file.truncate(DISK_SIZE)
    return path


def connect(path, deadline):
    while True:
        try:
            stream = socket.socket(socket.AF_UNIX)
            stream.connect(str(path))
            return stream
        except OSError:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path}: the virtual machine does not listen")
            time.sleep(0.05)


def wait_for(stream, word, deadline):
    received = b""
    while word not in received:
        stream.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            chunk = stream.recv(4096)
        except socket.timeout:
            raise TimeoutError(f"no {word!r} from the virtual machine")
        if not chunk:
            raise ConnectionError("the virtual machine stopped")
        received += chunk
    return received


def save(folder):
    deadline = time.monotonic() + 900
    with tempfile.TemporaryDirectory() as sockets, tempfile.TemporaryDirectory() as share:
        disk = make_disk(f"{sockets}/disk")
        machine = subprocess.Popen(command(folder, share, disk, sockets, is_saving=True))
        try:
            driver = connect(f"{sockets}/driver", deadline)
            wait_for(driver, b"ready", deadline)
            time.sleep(3)  # late units settle, so that the saved state is idle
            monitor = connect(f"{sockets}/monitor", deadline)
            wait_for(monitor, b"(qemu)", deadline)
            monitor.sendall(b"migrate_set_parameter max-bandwidth 4G\n")
            wait_for(monitor, b"(qemu)", deadline)
            monitor.sendall(f'migrate "exec:cat > {folder}/making.state"\n'.encode())
            while True:
                monitor.sendall(b"info migrate\n")
                answer = wait_for(monitor, b"(qemu)", deadline)
                if b"completed" in answer:
                    break
                if b"failed" in answer:
                    raise RuntimeError(answer.decode(errors="replace"))
                time.sleep(0.5)
            monitor.sendall(b"quit\n")
            machine.wait(30)
            driver.close()
            os.rename(f"{folder}/making.state", f"{folder}/ready.state")
        except BaseException:
            sys.stderr.write(pathlib.Path(f"{sockets}/console").read_text(errors="replace")[-3000:])
            raise
        finally:
            machine.kill()
            machine.wait()


def wait(machine, deadline, power_cut):
    """Waits until the machine has gone off by itself, or the file `power_cut` asks for its sudden end."""
    while machine.poll() is None:
        if power_cut and os.path.exists(power_cut):
            return machine.kill()
        if time.monotonic() > deadline:
            raise TimeoutError("the virtual machine did not finish in time")
        time.sleep(0.02)


def run(folder, share, timeout, *, disk=None, power_cut=None, clock=None, is_networked=False):
    """Resumes the machine and returns the status of SHARE/run.sh; 124 when it did not come to its end.

    `disk` is the second disk's file, made by `make_disk`; without one it is thrown away. When a file of the name
    `power_cut` appears, the machine ends at once. The guest's wall clock begins at `clock` (seconds since 1970), or
    is right. A guest that `is_networked` reaches what this process would reach, and this machine's loopback as 10.0.2.2.
    """
    deadline = time.monotonic() + timeout
    for name in ("rc", "out.txt"):
        pathlib.Path(share, name).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as sockets:
        devices = command(folder, share, disk or make_disk(f"{sockets}/disk"), sockets, is_networked=is_networked)
        machine = subprocess.Popen(devices + ["-incoming", f"exec:cat {folder}/ready.state"])
        try:
            driver = connect(f"{sockets}/driver", deadline)
            time.sleep(0.2)
            driver.sendall(f"go {int(time.time() if clock is None else clock)}\n".encode())
            wait(machine, deadline, power_cut)
        except TimeoutError as error:
            sys.stderr.write(f"{error}\n")
            sys.stderr.write(pathlib.Path(f"{sockets}/console").read_text(errors="replace")[-2000:])
        finally:
            machine.kill()
            machine.wait()
    status = pathlib.Path(share, "rc")
    return int(status.read_text()) if status.exists() else 124


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["save", "run"])
    parser.add_argument("folder")
    parser.add_argument("share", nargs="?")
    parser.add_argument("--timeout", type=float, default=600)
    arguments = parser.parse_args()
    if not shutil.which("qemu-system-x86_64"):
        sys.exit("qemu-system-x86_64 is missing: apt-get install qemu-system-x86")
    if arguments.action == "save":
        save(arguments.folder)
    else:
        sys.exit(run(arguments.folder, arguments.share, arguments.timeout))


if __name__ == "__main__":
    main()
