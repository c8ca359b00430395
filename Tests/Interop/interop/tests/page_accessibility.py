"""axe-core finds nothing to complain of in any of the page's states, light or dark."""
import importlib.resources
import time

from interop import page_states

#: Style sheets and videos need not be loaded once more for it.
RUN = """axe.run(document, { resultTypes: ["violations"], preload: false, RULES }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
  `${id} (${help}): ${nodes.map(({ target, any }) => `${target.join(" ")} ${any[0]?.message ?? ""}`).join("; ")}`))"""
#: Colours alone are different in the dark.
SCHEMES = {"light": "rules: {}", "dark": 'runOnly: ["color-contrast"]'}


def run(context):
    script = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()
    found, seen = {}, []

    def look(name, page):
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"void (() => {{ {script} }})()")
        for scheme, rules in SCHEMES.items():
            page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                                 {"name": "prefers-reduced-motion", "value": "reduce"}])
            time.sleep(0.05)
            for violation in page.evaluate(RUN.replace("RULES", rules)):
                found.setdefault(violation, []).append(f"{name}, {scheme}")
            seen.append(name)
    page_states.visit(context, look)
    if found:
        raise AssertionError("\n".join(f"{violation}\n  in {'; '.join(places)}" for violation, places in found.items()))
    return f"{len(seen)} looks"
