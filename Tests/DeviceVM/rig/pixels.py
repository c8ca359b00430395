"""The colours of a picture's bars, as BT.601 luma and chroma of limited range, whatever format it is in."""
BARS = 8
#: Half the side of the square that is looked at in the middle of each bar, in pixels.
REACH = 4
#: Where bars are looked at, as parts of the height: the camera draws a text at the top.
ROWS = (0.5, 0.7, 0.9)


def bars(pixel_at, width, height):
    """The mean (Y, Cb, Cr) in the middle of each bar."""
    return [_mean(pixel_at, (2 * index + 1) * width // (2 * BARS), height) for index in range(BARS)]


def _mean(pixel_at, middle, height):
    places = [(middle + x, int(height * row) + y) for row in ROWS for y in range(-REACH, REACH) for x in range(-REACH, REACH)]
    colours = [pixel_at(x, y) for x, y in places]
    return tuple(sum(values) / len(colours) for values in zip(*colours))


def difference(one, other):
    """The largest difference of any component of any bar."""
    return max(abs(a - b) for first, second in zip(one, other) for a, b in zip(first, second))


def reader(fourcc, data, width, height):
    """A function of column and row that reads a raw picture; `fourcc` is V4L2's code of its format."""
    size = {"RGB3": 3, "BGR3": 3, "YUYV": 2, "UYVY": 2}.get(fourcc, 1.5)
    if len(data) != width * height * size:
        raise ValueError(f"{fourcc} of {width}×{height} has {width * height * size:.0f} bytes, not {len(data)}")
    if fourcc in ("RGB3", "BGR3"):
        return _rgb(data, width, reverse=fourcc == "BGR3")
    if fourcc in ("YUYV", "UYVY"):
        return _packed(data, width, luma=fourcc.index("Y"), chroma=fourcc.index("U"))
    return _planar(fourcc, data, width, height)


def _rgb(data, width, reverse):
    def pixel_at(x, y):
        place = (y * width + x) * 3
        return _from_rgb(*(data[place : place + 3][::-1] if reverse else data[place : place + 3]))
    return pixel_at


def _from_rgb(red, green, blue):
    """ITU-R BT.601, 8 bits, full range to limited range."""
    return (16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255,
            128 + (-37.797 * red - 74.203 * green + 112 * blue) / 255,
            128 + (112 * red - 93.786 * green - 18.214 * blue) / 255)


def _packed(data, width, luma, chroma):
    """Two pixels in four bytes."""
    def pixel_at(x, y):
        pair = (y * width + x // 2 * 2) * 2
        return data[pair + luma + x % 2 * 2], data[pair + chroma], data[pair + chroma + 2]
    return pixel_at


def _planar(fourcc, data, width, height):
    """One chroma pair for 2×2 pixels: in a plane of pairs, or in two planes."""
    luma, quarter = width * height, width * height // 4
    first, second, step = {
        "YU12": (luma, luma + quarter, 1), "YV12": (luma + quarter, luma, 1),
        "NV12": (luma, luma + 1, 2), "NV21": (luma + 1, luma, 2)}[fourcc]
    def pixel_at(x, y):
        chroma = (y // 2 * (width // 2) + x // 2) * step
        return data[y * width + x], data[first + chroma], data[second + chroma]
    return pixel_at
