"""The pictures of the test's USB camera (guest/camera): colour bars and a mark that tells them apart."""
import random
import subprocess
import typing

from . import marks, pixels

#: They come again and again.
PICTURES = 30
#: (Y, Cb, Cr) of each bar, of limited range: white, yellow, cyan, green, magenta, red, blue and black at 75 %.
BARS = [
    (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212), (35, 212, 114),
    (16, 128, 128)]

#: JPEG's markers.
HUFFMAN_TABLE, START_OF_SCAN = 0xC4, 0xDA


class Mode(typing.NamedTuple):
    fourcc: str
    width: int
    height: int
    #: Pictures a second; the first is the usual one.
    rates: tuple
    #: Of MJPEG.
    lacks_tables: bool = False

    @property
    def name(self):
        return f"{self.fourcc}-{self.width}x{self.height}"


#: As of a USB camera: large pictures come at full rate only as MJPEG.
MODES = [
    Mode("MJPG", 640, 360, (30, 15), lacks_tables=True), Mode("MJPG", 320, 180, (30, 15)),
    Mode("YUYV", 320, 180, (30, 15)), Mode("YUYV", 640, 360, (5,))]


def write(folder):
    """Writes what the guest's camera reads."""
    folder.mkdir()
    lines = [" ".join(map(str, (mode.fourcc, mode.width, mode.height, *mode.rates))) for mode in MODES]
    (folder / "modes").write_text("\n".join(lines) + "\n")
    for mode in MODES:
        (folder / mode.name).mkdir()
        pictures = [_picture(number, mode.width, mode.height) for number in range(PICTURES)]
        if mode.fourcc == "MJPG":
            _compress(b"".join(pictures), mode, folder / mode.name)
        else:
            for number, picture in enumerate(pictures):
                (folder / mode.name / f"{number:02}").write_bytes(picture)


def _picture(number, width, height):
    """YUYV."""
    lines = [_mark_line(bits, width) for bits in marks.cells(number)]
    edges = [row * height // 16 for row in range(len(lines) + 1)]
    mark = b"".join(line * (bottom - top) for line, top, bottom in zip(lines, edges, edges[1:]))
    noise = _noise(width, height // 4)
    return mark + noise + _bars_line(width) * (height - edges[-1] - height // 4)


def _noise(width, height):
    """The same in each picture: costs an MJPEG picture as many bytes as a camera's would have, and VP8 next to none."""
    lines = bytearray([128]) * (width * height * 2)
    lines[::2] = bytes(random.Random(1).choices(range(64, 192), k=width * height))
    return bytes(lines)


def _mark_line(bits, width):
    line = bytearray([128]) * (width * 2)
    line[::2] = marks.luma_row(bits, width)
    return bytes(line)


def _bars_line(width):
    colours = (BARS[pair * 2 * pixels.BARS // width] for pair in range(width // 2))
    return b"".join(bytes([luma, blue, luma, red]) for luma, blue, red in colours)


def _compress(pictures, mode, folder):
    """JPEG of 4:2:2 as USB cameras make it: FFmpeg's own encoder chooses other sampling factors than they do."""
    size = ["-video_size", f"{mode.width}x{mode.height}"]
    filters = ["-vf", "scale=in_range=tv:in_color_matrix=bt601", "-pix_fmt", "rgb24", "-c:v", "ppm"]
    command = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pixel_format", "yuyv422", *size, "-i", "-", *filters]
    pixmaps = subprocess.run(
        [*command, "-f", "image2pipe", "-"], input=pictures, check=True, capture_output=True, timeout=120).stdout
    length = len(pixmaps) // PICTURES
    for number in range(PICTURES):
        pixmap = pixmaps[number * length : (number + 1) * length]
        compress = ["cjpeg", "-sample", "2x1", "-quality", "80"]
        picture = subprocess.run(compress, input=pixmap, check=True, capture_output=True, timeout=20).stdout
        (folder / f"{number:02}").write_bytes(_without_tables(picture) if mode.lacks_tables else picture)


def _without_tables(picture):
    """Many cameras leave the usual Huffman tables out."""
    kept, place = picture[:2], 2
    while picture[place + 1] != START_OF_SCAN:
        end = place + 2 + int.from_bytes(picture[place + 2 : place + 4], "big")
        if picture[place + 1] != HUFFMAN_TABLE:
            kept += picture[place:end]
        place = end
    return kept + picture[place:]
