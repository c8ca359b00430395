"""What of the page is seen in a window of a size."""
import json
import time

#: Screens, laptops, a tablet, and phones held either way: width and height.
SIZES = [(1920, 1080), (1280, 800), (1024, 768), (390, 844), (844, 390), (320, 568)]
#: The least that a finger hits, in CSS pixels.
TOUCH_TARGET = 44

BUTTONS = """[...document.querySelectorAll("button, select, .check")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => ({ name: one.id || one.textContent.trim(), height: one.getBoundingClientRect().height }))"""


def resize(page, size):
    width, height = size
    page.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    page.wait_for(f"innerWidth === {width} && innerHeight === {height}", f"the window is {width} by {height}")
    time.sleep(0.2)


def restore(page):
    page.command("Emulation.clearDeviceMetricsOverride")


def share(page, selector):
    """The part of the window that an element has, of which nothing may be out of view."""
    require_in_view(page, selector)
    return page.evaluate(f"(() => {{ const r = {_rect(selector)};"
                         " return r.width * r.height / (innerWidth * innerHeight); })()")


def require_in_view(page, selector):
    """The whole element is in the window, and nothing lies over its middle."""
    seen = page.evaluate(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}), r = e.getBoundingClientRect();"
        " const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);"
        " return { width: r.width, top: r.top, bottom: r.bottom, left: r.left, right: r.right, window:"
        " [innerWidth, innerHeight], isOnTop: !!top && (e.contains(top) || top.contains(e)) }; })()")
    width, height = seen["window"]
    # Half a pixel is a matter of rounding.
    is_inside = seen["top"] > -1 and seen["left"] > -1 and seen["bottom"] < height + 1 and seen["right"] < width + 1
    if not (seen["width"] and is_inside and seen["isOnTop"]):
        raise AssertionError(f"{selector} is not in view: {seen}")


def require_no_sideways_scrolling(page):
    """A busy browser lays out what has just changed with a frame that comes late."""
    deadline = time.monotonic() + 2
    while found := _sideways(page):
        if time.monotonic() > deadline:
            raise AssertionError(f"the page is wider than its window: {found['wide']}; beyond the edge are {found['beyond']}")
        time.sleep(0.1)


def _sideways(page):
    wide = page.evaluate(
        "[document.scrollingElement, ...document.querySelectorAll('body *')].filter((one) =>"
        " one.scrollWidth > one.clientWidth + 1 && (one === document.scrollingElement"
        " || ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)))"
        ".map((one) => `${one.id || one.tagName} ${one.scrollWidth} > ${one.clientWidth}`)")
    beyond = page.evaluate(
        "[...document.querySelectorAll('button, h1, h2, p, input, select')].filter((one) => one.checkVisibility()"
        " && one.getBoundingClientRect().width > 0 && (one.getBoundingClientRect().right > innerWidth + 1"
        " || one.getBoundingClientRect().left < -1)).map((one) => { const { left, right } = one.getBoundingClientRect();"
        " return `${one.id || one.textContent.trim() || one.dataset.action || one.tagName} ${Math.round(left)}–${Math.round(right)}`; })")
    return {"wide": wide, "beyond": beyond} if wide or beyond else None


def require_touch_targets(page):
    small = [one for one in page.evaluate(BUTTONS) if one["height"] < TOUCH_TARGET - 0.5]
    if small:
        raise AssertionError(f"too small for a finger: {small}")


def _rect(selector):
    return f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
