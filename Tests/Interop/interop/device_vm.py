"""The virtual machine of Tests/DeviceVM, with a kernel's devices, as a far device of a test."""
import importlib
import pathlib
import shutil
import subprocess
import sys

from interop.background import Background
from interop.processes import wait_until


class DeviceVM(Background):
    """Runs scripts of Tests/DeviceVM/guest while entered. The guest reaches this namespace's loopback as 10.0.2.2.

    Guest and test tell each other of progress by empty files in `out`."""

    def __init__(self, context, scripts, values, files):
        """`values` are shell variables of the scripts, `files` what is put beside them, name by path."""
        super().__init__()
        folder = context.repository / "Tests/DeviceVM"
        sys.path.append(str(folder))
        self._machine, share, results = map(importlib.import_module, ("machine", "rig.share", "rig.facts"))
        self._facts = results.Facts
        self._image = _image(folder)
        self._folder = context.scratch / "share"
        self._folder.mkdir()
        share = share.Share(self._folder, context.binaries)
        share.prepare(scripts, {"quick": 0, **values})
        for name, path in files.items():
            shutil.copy(path, self._folder / name)
        self.out = share.out
        self.status = None

    def facts(self):
        return self._facts(self.out / "facts.txt")

    def ask(self, name):
        """Tells the guest to go on with what waits for this file."""
        (self.out / name).touch()

    def wait_for(self, name, limit):
        """Waits for a file of the guest's; returns it."""
        path = self.out / name

        def is_there():
            if self.status is not None:
                raise RuntimeError(f"the virtual machine ended with {self.status} before {name}\n{self.last_words()}")
            return path.exists()
        wait_until(is_there, f"the guest tells of {name}", limit, interval=0.01)
        return path

    def last_words(self):
        path = self._folder / "out.txt"
        return path.read_text(errors="replace")[-3000:] if path.exists() else "(nothing was printed)"

    def _run(self):
        try:
            self.status = self._machine.run(self._image, self._folder, 900, power_cut=self.out / "off", is_networked=True)
        finally:
            self.status = 124 if self.status is None else self.status

    def wait(self, limit=60.0):
        """Waits until the guest has come to its end; its journal is there then."""
        wait_until(lambda: self.status is not None, "the guest has come to its end", limit)

    def __exit__(self, kind, *_):
        if kind:
            self._give_up()
        self.ask("off")
        super().__exit__(kind, *_)

    def _give_up(self):
        self.ask("give-up")
        try:
            self.wait()
        except TimeoutError as error:
            print(error)
        journal = self.out / "journal.txt"
        print("the guest says:", self.last_words(), journal.read_text(errors="replace")[-6000:] if journal.exists() else "", sep="\n")


def _image(folder: pathlib.Path):
    """The machine's image, which must have been made: nothing can be downloaded from here."""
    made = subprocess.run([folder / "image"], capture_output=True, text=True, timeout=600, check=False)
    if made.returncode:
        raise FileNotFoundError(f"make the virtual machine's image first, with Tests/DeviceVM/image: {made.stderr[-500:]}")
    return pathlib.Path(made.stdout.strip())
