/// The discrete Fourier transform of complex samples whose number is a product of 2, 3, 4 and 5, by Stockham's autosort algorithm.
///
/// Nothing is scaled. Allocates only when made.
struct FourierTransform: ~Copyable {
  let count: Int
  private let cosines: FloatBuffer
  private let sines: FloatBuffer
  private let spare: Spectrum
  /// Odd ones first, so that later passes have long inner loops.
  private var radices = InlineArray<8, Int>(repeating: 1)
  private var passes = 0

  init(count: Int) {
    self.count = count
    cosines = FloatBuffer(count: count)
    sines = FloatBuffer(count: count)
    spare = Spectrum(count: count)
    for index in 0..<count {
      let (sine, cosine) = Numeric.turn(-Double(index) / Double(count))
      cosines[index] = Float(cosine)
      sines[index] = Float(sine)
    }
    var rest = count
    for radix in [5, 3, 2, 4] {
      while rest % radix == 0, radix != 2 || rest.trailingZeroBitCount % 2 == 1 {
        radices[passes] = radix
        passes += 1
        rest /= radix
      }
    }
    precondition(rest == 1)
  }

  /// Transforms in place. With both parts exchanged in and out it is the inverse, unscaled.
  func transform(_ real: borrowing FloatBuffer, _ imaginary: borrowing FloatBuffer) {
    precondition(real.count >= count && imaginary.count >= count)
    unsafe run(Parts(real: real.start, imaginary: imaginary.start))
  }

  @unsafe private struct Parts {
    let real: UnsafeMutablePointer<Float>
    let imaginary: UnsafeMutablePointer<Float>
  }

  @unsafe private func run(_ data: Parts) {
    var from = unsafe data
    var to = unsafe Parts(real: spare.real.start, imaginary: spare.imaginary.start)
    var rest = count
    var stride = 1
    for pass in 0..<passes {
      let radix = radices[pass]
      switch radix {
      case 2: unsafe pass2(from, to, rest / 2, stride)
      case 3: unsafe pass3(from, to, rest / 3, stride)
      case 4: unsafe pass4(from, to, rest / 4, stride)
      default: unsafe pass5(from, to, rest / 5, stride)
      }
      unsafe swap(&from, &to)
      rest /= radix
      stride *= radix
    }
    guard passes % 2 == 1 else { return }
    unsafe data.real.update(from: from.real, count: count)
    unsafe data.imaginary.update(from: from.imaginary, count: count)
  }

  @inline(__always) private func twiddle(_ index: Int) -> (Float, Float) {
    unsafe (cosines.start[index], sines.start[index])
  }

  @unsafe private func pass2(_ x: Parts, _ y: Parts, _ m: Int, _ s: Int) {
    for p in 0..<m {
      let (c, d) = twiddle(p * s)
      let i = s * p, o = s * 2 * p
      for q in 0..<s {
        let (ar, ai) = unsafe (x.real[i + q], x.imaginary[i + q])
        let (br, bi) = unsafe (x.real[i + q + s * m], x.imaginary[i + q + s * m])
        unsafe y.real[o + q] = ar + br
        unsafe y.imaginary[o + q] = ai + bi
        unsafe y.real[o + q + s] = (ar - br) * c - (ai - bi) * d
        unsafe y.imaginary[o + q + s] = (ar - br) * d + (ai - bi) * c
      }
    }
  }

  @unsafe private func pass3(_ x: Parts, _ y: Parts, _ m: Int, _ s: Int) {
    let root: Float = 0.866_025_40
    for p in 0..<m {
      let (c1, d1) = twiddle(p * s)
      let (c2, d2) = twiddle(2 * p * s)
      let i = s * p, o = s * 3 * p
      for q in 0..<s {
        let (ar, ai) = unsafe (x.real[i + q], x.imaginary[i + q])
        let (br, bi) = unsafe (x.real[i + q + s * m], x.imaginary[i + q + s * m])
        let (cr, ci) = unsafe (x.real[i + q + 2 * s * m], x.imaginary[i + q + 2 * s * m])
        let (sr, si) = (br + cr, bi + ci)
        let (tr, ti) = (root * (bi - ci), root * (cr - br))
        let (mr, mi) = (ar - 0.5 * sr, ai - 0.5 * si)
        unsafe y.real[o + q] = ar + sr
        unsafe y.imaginary[o + q] = ai + si
        unsafe y.real[o + q + s] = (mr + tr) * c1 - (mi + ti) * d1
        unsafe y.imaginary[o + q + s] = (mr + tr) * d1 + (mi + ti) * c1
        unsafe y.real[o + q + 2 * s] = (mr - tr) * c2 - (mi - ti) * d2
        unsafe y.imaginary[o + q + 2 * s] = (mr - tr) * d2 + (mi - ti) * c2
      }
    }
  }

  @unsafe private func pass4(_ x: Parts, _ y: Parts, _ m: Int, _ s: Int) {
    for p in 0..<m {
      let (c1, d1) = twiddle(p * s)
      let (c2, d2) = twiddle(2 * p * s)
      let (c3, d3) = twiddle(3 * p * s)
      let i = s * p, o = s * 4 * p
      for q in 0..<s {
        let (ar, ai) = unsafe (x.real[i + q], x.imaginary[i + q])
        let (br, bi) = unsafe (x.real[i + q + s * m], x.imaginary[i + q + s * m])
        let (cr, ci) = unsafe (x.real[i + q + 2 * s * m], x.imaginary[i + q + 2 * s * m])
        let (dr, di) = unsafe (x.real[i + q + 3 * s * m], x.imaginary[i + q + 3 * s * m])
        let (er, ei, fr, fi) = (ar + cr, ai + ci, ar - cr, ai - ci)
        let (gr, gi, hr, hi) = (br + dr, bi + di, bi - di, dr - br)
        unsafe y.real[o + q] = er + gr
        unsafe y.imaginary[o + q] = ei + gi
        unsafe y.real[o + q + s] = (fr + hr) * c1 - (fi + hi) * d1
        unsafe y.imaginary[o + q + s] = (fr + hr) * d1 + (fi + hi) * c1
        unsafe y.real[o + q + 2 * s] = (er - gr) * c2 - (ei - gi) * d2
        unsafe y.imaginary[o + q + 2 * s] = (er - gr) * d2 + (ei - gi) * c2
        unsafe y.real[o + q + 3 * s] = (fr - hr) * c3 - (fi - hi) * d3
        unsafe y.imaginary[o + q + 3 * s] = (fr - hr) * d3 + (fi - hi) * c3
      }
    }
  }

  @unsafe private func pass5(_ x: Parts, _ y: Parts, _ m: Int, _ s: Int) {
    let (u1, v1): (Float, Float) = (0.309_016_99, 0.951_056_52)
    let (u2, v2): (Float, Float) = (-0.809_016_99, 0.587_785_25)
    for p in 0..<m {
      let (c1, d1) = twiddle(p * s)
      let (c2, d2) = twiddle(2 * p * s)
      let (c3, d3) = twiddle(3 * p * s)
      let (c4, d4) = twiddle(4 * p * s)
      let i = s * p, o = s * 5 * p
      for q in 0..<s {
        let (ar, ai) = unsafe (x.real[i + q], x.imaginary[i + q])
        let (br, bi) = unsafe (x.real[i + q + s * m], x.imaginary[i + q + s * m])
        let (cr, ci) = unsafe (x.real[i + q + 2 * s * m], x.imaginary[i + q + 2 * s * m])
        let (dr, di) = unsafe (x.real[i + q + 3 * s * m], x.imaginary[i + q + 3 * s * m])
        let (er, ei) = unsafe (x.real[i + q + 4 * s * m], x.imaginary[i + q + 4 * s * m])
        let (pr, pi, qr, qi) = (br + er, bi + ei, br - er, bi - ei)
        let (rr, ri, wr, wi) = (cr + dr, ci + di, cr - dr, ci - di)
        let (kr, ki) = (ar + u1 * pr + u2 * rr, ai + u1 * pi + u2 * ri)
        let (lr, li) = (ar + u2 * pr + u1 * rr, ai + u2 * pi + u1 * ri)
        // Minus i times the odd parts.
        let (mr, mi) = (v1 * qi + v2 * wi, -(v1 * qr + v2 * wr))
        let (nr, ni) = (v2 * qi - v1 * wi, -(v2 * qr - v1 * wr))
        unsafe y.real[o + q] = ar + pr + rr
        unsafe y.imaginary[o + q] = ai + pi + ri
        unsafe y.real[o + q + s] = (kr + mr) * c1 - (ki + mi) * d1
        unsafe y.imaginary[o + q + s] = (kr + mr) * d1 + (ki + mi) * c1
        unsafe y.real[o + q + 2 * s] = (lr + nr) * c2 - (li + ni) * d2
        unsafe y.imaginary[o + q + 2 * s] = (lr + nr) * d2 + (li + ni) * c2
        unsafe y.real[o + q + 3 * s] = (lr - nr) * c3 - (li - ni) * d3
        unsafe y.imaginary[o + q + 3 * s] = (lr - nr) * d3 + (li - ni) * c3
        unsafe y.real[o + q + 4 * s] = (kr - mr) * c4 - (ki - mi) * d4
        unsafe y.imaginary[o + q + 4 * s] = (kr - mr) * d4 + (ki - mi) * c4
      }
    }
  }
}
