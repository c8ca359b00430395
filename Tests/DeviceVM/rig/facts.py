"""What the guest found out: lines of a name, a tab and a value."""


class Facts:
    def __init__(self, path):
        self._values = {}
        text = path.read_text(errors="replace") if path.exists() else ""
        for line in text.splitlines():
            name, _, value = line.partition("\t")
            self._values[name] = value

    def __contains__(self, name):
        return name in self._values

    def text(self, name):
        return self._values.get(name, "")

    def number(self, name):
        """NaN, which fails every comparison, when the guest did not come so far."""
        try:
            return float(self._values[name])
        except (KeyError, ValueError):
            return float("nan")
