"""What a camera adds to the scene: noise of the sensor, as it is after demosaicing, and the losses of an MJPEG camera."""
import numpy

from light.scenes import Planes

#: Weights of red, green and blue in luma and in both differences of colour (BT.601, limited range).
LUMA, CHROMA = (0.257, 0.504, 0.098), ((-0.148, -0.291, 0.439), (0.439, -0.368, -0.071))


class Gaussian:
    """Independent for each sample, with one deviation in luma and half of it in chroma."""

    def __init__(self, deviation):
        self.text = f"Gaussian noise of {deviation}"
        self._deviation = numpy.float32(deviation)

    def __call__(self, frame: Planes, random):
        return Planes(
            frame.luma + self._deviation * random.standard_normal(frame.luma.shape, dtype=numpy.float32),
            frame.chroma + self._deviation / 2 * random.standard_normal(frame.chroma.shape, dtype=numpy.float32))


class Demosaiced:
    """Noise of a Bayer sensor after bilinear demosaicing: neighbours are alike, and chroma has blots.

    `read` is the deviation of each sensor element in the dark, `shot` that which mid grey (128) adds, as the root of
    light does.
    """

    def __init__(self, read, shot):
        self.text = f"demosaiced noise of {read} and {shot}"
        self._read, self._shot = numpy.float32(read), numpy.float32(shot)

    def __call__(self, frame: Planes, random):
        deviation = numpy.sqrt(self._read**2 + self._shot**2 / 128 * numpy.maximum(frame.luma, 0))
        colours = _demosaic(deviation * random.standard_normal(frame.luma.shape, dtype=numpy.float32))
        luma = sum(numpy.float32(weight) * colour for weight, colour in zip(LUMA, colours))
        halves = [(colour[::2, ::2] + colour[1::2, ::2] + colour[::2, 1::2] + colour[1::2, 1::2]) / 4
                  for colour in colours]
        chroma = [sum(numpy.float32(weight) * half for weight, half in zip(weights, halves)) for weights in CHROMA]
        return Planes(frame.luma + luma, frame.chroma + numpy.stack(chroma))


def _demosaic(raw):
    """Red, green and blue of each place from a mosaic RGGB, bilinear."""
    red, green, blue = (numpy.zeros_like(raw) for _ in range(3))
    red[::2, ::2], blue[1::2, 1::2] = raw[::2, ::2], raw[1::2, 1::2]
    green[::2, 1::2], green[1::2, ::2] = raw[::2, 1::2], raw[1::2, ::2]
    return _spread(red) * 4, _spread(green) * 2, _spread(blue) * 4


def _spread(plane):
    """The kernel (1 2 1)/4 along both axes."""
    for axis in (0, 1):
        plane = plane / 2 + (numpy.roll(plane, 1, axis) + numpy.roll(plane, -1, axis)) / 4
    return plane


class Jpeg:
    """Another kind of noise first, then what JPEG loses at a quality of 1 to 100, for each frame alone.

    That is the quantization of the 8×8 transform with the tables of ITU-T T.81, annex K, scaled as libjpeg does; the
    rest of JPEG loses nothing.
    """

    def __init__(self, before, quality=75):
        self.text = f"{before.text}, JPEG of quality {quality}"
        self._before = before
        scale = 5000 / quality if quality < 50 else 200 - 2 * quality
        self._tables = [
            numpy.clip(numpy.floor((table * scale + 50) / 100), 1, 255).astype(numpy.float32)
            for table in (LUMA_TABLE, CHROMA_TABLE)
        ]

    def __call__(self, frame: Planes, random):
        noisy = self._before(frame, random)
        chroma = [self._lose(plane, self._tables[1]) for plane in noisy.chroma]
        return Planes(self._lose(noisy.luma, self._tables[0]), numpy.stack(chroma))

    @staticmethod
    def _lose(plane, table):
        height, width = plane.shape
        if height % 8 or width % 8:
            raise ValueError(f"a plane of {width}×{height} has no whole blocks of 8×8")
        samples = numpy.clip(numpy.rint(plane), 0, 255).astype(numpy.float32) - 128
        blocks = samples.reshape(height // 8, 8, width // 8, 8).transpose(0, 2, 1, 3)
        coded = numpy.rint(TRANSFORM @ blocks @ TRANSFORM.T / table) * table
        return (TRANSFORM.T @ coded @ TRANSFORM).transpose(0, 2, 1, 3).reshape(height, width) + 128


def _transform():
    """The orthonormal discrete cosine transform of eight values."""
    frequency, place = numpy.mgrid[0:8, 0:8]
    matrix = numpy.cos((2 * place + 1) * frequency * numpy.pi / 16) / 2
    matrix[0] /= numpy.sqrt(2)
    return matrix.astype(numpy.float32)


TRANSFORM = _transform()
LUMA_TABLE = numpy.array(
    """16 11 10 16 24 40 51 61 12 12 14 19 26 58 60 55 14 13 16 24 40 57 69 56 14 17 22 29 51 87 80 62
  18 22 37 56 68 109 103 77 24 35 55 64 81 104 113 92 49 64 78 87 103 121 120 101 72 92 95 98 112 100 103 99""".split(),
    int).reshape(8, 8)
CHROMA_TABLE = numpy.full((8, 8), 99)
CHROMA_TABLE[:4, :4] = numpy.array("17 18 24 47 18 21 26 66 24 26 56 99 47 66 99 99".split(), int).reshape(4, 4)
