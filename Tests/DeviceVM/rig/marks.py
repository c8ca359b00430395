"""The mark at the top of a test picture (docs/internals/test-pattern.md): drawn into pictures, read from decoded ones."""
import binascii

COLUMNS, ROWS = 32, 2
BLACK, WHITE = 16, 235
#: A cell whose mean luma is this or more is 1.
LIMIT = 126


def cells(number):
    """The bits of picture `number` at the time 0, a list a row."""
    value = (number << 24).to_bytes(6, "big")
    bits = int.from_bytes(value + binascii.crc_hqx(value, 0xFFFF).to_bytes(2, "big"), "big")
    return [[bits >> (63 - row * COLUMNS - column) & 1 for column in range(COLUMNS)] for row in range(ROWS)]


def luma_row(bits, width):
    """The luma samples of one line through a row of cells."""
    edges = [column * width // COLUMNS for column in range(COLUMNS + 1)]
    return b"".join(
        bytes([WHITE if bit else BLACK]) * (right - left) for bit, left, right in zip(bits, edges, edges[1:]))


def read(picture, width, height):
    """The number of a picture whose luma plane comes first, or None without a mark."""
    bits = 0
    for row in range(ROWS):
        top, bottom = row * height // 16, (row + 1) * height // 16
        inset = (bottom - top) // 4
        lines = [y * width for y in range(top + inset, bottom - inset)]
        for column in range(COLUMNS):
            bits = bits << 1 | _cell(picture, lines, column * width // COLUMNS, (column + 1) * width // COLUMNS)
    value = (bits >> 16).to_bytes(6, "big")
    return bits >> 40 if binascii.crc_hqx(value, 0xFFFF) == bits & 0xFFFF else None


def _cell(picture, lines, left, right):
    inset = (right - left) // 4
    samples = [sample for line in lines for sample in picture[line + left + inset : line + right - inset]]
    return sum(samples) >= LIMIT * len(samples)
