"""Convolution of a stream with an impulse response, block by block, without delay."""
import numpy


class Convolution:
    """Uniformly partitioned overlap-save: the response in blocks, each multiplied with the spectrum of that block's past."""

    def __init__(self, taps, block):
        self._block = block
        count = -(-len(taps) // block)
        padded = numpy.zeros(count * block)
        padded[:len(taps)] = taps
        self._responses = numpy.fft.rfft(padded.reshape(count, block), 2 * block)
        self._spectra = numpy.zeros_like(self._responses)
        self._before = numpy.zeros(block)

    def __call__(self, samples):
        """The next block."""
        self._spectra = numpy.roll(self._spectra, 1, axis=0)
        self._spectra[0] = numpy.fft.rfft(numpy.concatenate([self._before, samples]))
        self._before = samples
        return numpy.fft.irfft((self._spectra * self._responses).sum(0))[self._block:]
