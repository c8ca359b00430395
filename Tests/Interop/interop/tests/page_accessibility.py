"""axe-core finds nothing to complain of in any of the page's states, light or dark."""
import importlib.resources
import time

from interop import page_states

#: What a rule is for: WCAG's levels A and AA, and what axe's authors hold to be good practice.
RUN = """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
  `${id} (${help}): ${nodes.map(({ target, any }) => `${target.join(" ")} ${any[0]?.message ?? ""}`).join("; ")}`))"""


def run(context):
    script = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()
    found, seen = {}, []

    def look(name, page):
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"void (() => {{ {script} }})()")
        for scheme in ("light", "dark"):
            page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                                 {"name": "prefers-reduced-motion", "value": "reduce"}])
            time.sleep(0.05)
            for violation in page.evaluate(RUN):
                found.setdefault(violation, []).append(f"{name}, {scheme}")
            seen.append(name)
    page_states.visit(context, look)
    if found:
        raise AssertionError("\n".join(f"{violation}\n  in {'; '.join(places)}" for violation, places in found.items()))
    return f"{len(seen)} looks"
