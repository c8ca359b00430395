/// Complex bins, real and imaginary parts apart.
struct Spectrum: ~Copyable {
  let real: FloatBuffer
  let imaginary: FloatBuffer

  init(count: Int) {
    real = FloatBuffer(count: count)
    imaginary = FloatBuffer(count: count)
  }

  var count: Int { real.count }

  func fill(_ value: Float = 0) {
    real.fill(value)
    imaginary.fill(value)
  }

  func power(_ lanes: Int) -> Lanes {
    real[lanes: lanes] * real[lanes: lanes] + imaginary[lanes: lanes] * imaginary[lanes: lanes]
  }
}
