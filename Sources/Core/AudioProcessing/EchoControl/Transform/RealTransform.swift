/// The Fourier transform of an even number of real samples, through a complex one of half the length.
///
/// Forward it is unscaled; back it divides by ``count``, so that both together change nothing. Allocates only when made.
struct RealTransform: ~Copyable {
  let count: Int
  private let half: Int
  private let complex: FourierTransform
  private let work: Spectrum
  private let cosines: FloatBuffer
  private let sines: FloatBuffer

  init(count: Int) {
    self.count = count
    half = count / 2
    complex = FourierTransform(count: half)
    work = Spectrum(count: half)
    cosines = FloatBuffer(count: half + 1)
    sines = FloatBuffer(count: half + 1)
    for index in 0...half {
      let (sine, cosine) = Numeric.turn(-Double(index) / Double(count))
      cosines[index] = Float(cosine)
      sines[index] = Float(sine)
    }
  }

  /// Fills the first `bins` bins of the spectrum, `count / 2 + 1` at most.
  func forward(_ samples: borrowing FloatBuffer, into spectrum: borrowing Spectrum, bins: Int) {
    precondition(samples.count >= count && spectrum.count >= bins && bins <= half + 1)
    for index in 0..<half {
      unsafe work.real.start[index] = samples.start[2 * index]
      unsafe work.imaginary.start[index] = samples.start[2 * index + 1]
    }
    complex.transform(work.real, work.imaginary)
    for index in 0..<bins { separate(index, into: spectrum) }
  }

  @inline(__always) private func separate(_ index: Int, into spectrum: borrowing Spectrum) {
    let low = index == half ? 0 : index
    let high = index == 0 ? 0 : half - index
    let (ar, ai) = unsafe (work.real.start[low], work.imaginary.start[low])
    let (br, bi) = unsafe (work.real.start[high], -work.imaginary.start[high])
    let (er, ei) = (0.5 * (ar + br), 0.5 * (ai + bi))
    let (or, oi) = (0.5 * (ai - bi), -0.5 * (ar - br))
    let (c, s) = unsafe (cosines.start[index], sines.start[index])
    unsafe spectrum.real.start[index] = er + or * c - oi * s
    unsafe spectrum.imaginary.start[index] = ei + or * s + oi * c
  }

  /// Makes samples of the first `bins` bins; those above count as zero, as do the imaginary parts of the first and the last.
  func inverse(_ spectrum: borrowing Spectrum, bins: Int, into samples: borrowing FloatBuffer) {
    precondition(samples.count >= count && spectrum.count >= bins && bins <= half + 1)
    for index in 0..<half { join(index, spectrum, bins) }
    complex.transform(work.imaginary, work.real)
    let scale = 1 / Float(half)
    for index in 0..<half {
      unsafe samples.start[2 * index] = work.real.start[index] * scale
      unsafe samples.start[2 * index + 1] = work.imaginary.start[index] * scale
    }
  }

  @inline(__always) private func join(_ index: Int, _ spectrum: borrowing Spectrum, _ bins: Int) {
    let other = half - index
    let (ar, ai) =
      unsafe index < bins
      ? (spectrum.real.start[index], index == 0 ? 0 : spectrum.imaginary.start[index]) : (0, 0)
    let (br, bi) =
      unsafe other < bins
      ? (spectrum.real.start[other], other == half ? 0 : -spectrum.imaginary.start[other]) : (0, 0)
    let (dr, di) = (0.5 * (ar - br), 0.5 * (ai - bi))
    let (c, s) = unsafe (cosines.start[index], -sines.start[index])
    let (tr, ti) = (dr * c - di * s, dr * s + di * c)
    unsafe work.real.start[index] = 0.5 * (ar + br) - ti
    unsafe work.imaginary.start[index] = 0.5 * (ai + bi) + tr
  }
}
