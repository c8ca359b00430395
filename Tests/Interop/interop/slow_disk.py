"""A disk that takes its time for each flush, and loses what was not flushed when the power goes.

SIGKILL alone loses nothing that was written: the kernel has it. So files are cut to what had been flushed by then, and those
that had never been are taken away.
"""
import pathlib
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).with_name("slow_disk.c")
#: What grows while it is recorded. Other files appear whole or not at all.
GROWING = (".webm", ".gpx", "evidence.bin")


class SlowDisk:
    """Give :attr:`variables` to each process that writes below `root`."""

    def __init__(self, folder, root, milliseconds):
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            raise FileNotFoundError("no C compiler: apt-get install gcc libc6-dev")
        library = folder / "slow-disk.so"
        subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        self._root, self._log = root, folder / "flushed"
        self.variables = {
            "LD_PRELOAD": str(library), "SLOW_DISK_MILLISECONDS": str(milliseconds), "SLOW_DISK_ROOT": str(root),
            "SLOW_DISK_LOG": str(self._log), "SLOW_DISK_LOCK": str(folder / "slow-disk-lock")}

    def cut_power(self):
        """After the processes were killed: leaves of each file that grows what had been flushed."""
        flushed = self._flushed()
        for path in list(self._root.rglob("*")):
            if path.is_file() and path.name.endswith(GROWING):
                _cut(path, flushed.get(str(path)))
        # What is there now is on the disk.
        self._log.write_text("".join(
            f"{path.stat().st_size} {path}\n" for path in self._root.rglob("*") if path.is_file()))

    def _flushed(self):
        if not self._log.exists():
            return {}
        lines = [line for line in self._log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return {path: int(size) for size, path in (line.rstrip("\n").split(" ", 1) for line in lines)}


def _cut(path, size):
    if size is None:
        path.unlink()
    elif path.stat().st_size > size:
        with open(path, "r+b") as file:
            file.truncate(size)
