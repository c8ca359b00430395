"""Collects what was checked."""


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self._measures = {}

    def check(self, holds, text, detail=""):
        """Counts and prints one acceptance line. Returns whether it holds."""
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        suffix = f": {detail}" if detail != "" else ""
        print(f"{'ok  ' if holds else 'FAIL'}  {text}{suffix}", flush=True)
        return bool(holds)

    def note(self, text):
        print(f"      {text}", flush=True)

    def measure(self, name, value):
        """Keeps one of several values of a name for the summary."""
        self._measures.setdefault(name, []).append(value)

    def show_measures(self):
        for name, values in self._measures.items():
            print(f"{name}: {len(values)} times, mean {sum(values) / len(values):.2f}, most {max(values):.2f}")
