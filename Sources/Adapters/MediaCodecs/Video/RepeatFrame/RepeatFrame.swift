/// A VP8 frame that shows the last reference frame again and changes nothing in the decoder (RFC 6386 §9 and §19.2):
/// every macroblock is copied from it without motion or residue, no filter runs, no buffer, probability or
/// segment is updated.
///
/// 60 bytes or so at 640×480. An encoder need not know of it: what follows refers to what was there before.
struct RepeatFrame {
  private let plain: [UInt8]
  /// The decoder's segments stay in force: some decoders forget them with a frame that has none.
  private let segmented: [UInt8]

  init(width: Int, height: Int) {
    plain = Self.make(width: width, height: height, isSegmented: false)
    segmented = Self.make(width: width, height: height, isSegmented: true)
  }

  /// - Parameter isSegmented: whether the frame before used segments.
  func payload(isSegmented: Bool) -> [UInt8] { isSegmented ? segmented : plain }

  private static func make(width: Int, height: Int, isSegmented: Bool) -> [UInt8] {
    var coder = BoolEncoder()
    writeHeader(isSegmented: isSegmented, to: &coder)
    writeMacroblocks(columns: (width + 15) / 16, rows: (height + 15) / 16, to: &coder)
    let first = coder.finish()
    // Shown, of version 0, not a key frame.
    let tag = UInt32(first.count) << 5 | 1 << 4 | 1
    // Nothing is read from the partition of coefficients, but decoders load the first three bytes of it.
    return (0..<3).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) } + first + [0, 0, 0]
  }

  private static func writeHeader(isSegmented: Bool, to coder: inout BoolEncoder) {
    coder.write(isSegmented ? 0b100 : 0, bits: isSegmented ? 3 : 1)
    // Filter of level 0, its deltas left alone; one partition; a quantizer without deltas.
    writeZeros([1, 6, 3, 1, 2, 7, 5], to: &coder)
    // Golden, alternate and last reference stay, as do their signs and the probabilities.
    writeZeros([1, 1, 2, 2, 1, 1, 1, 1], to: &coder)
    writeFlags(HeaderProbabilities.coefficientsUnchanged, to: &coder)
    coder.write(1, bits: 1)
    // The fourth tells golden from alternate references, of which there are none.
    for probability in [skipped, inter, last, 128] { coder.write(probability, bits: 8) }
    coder.write(0, bits: 2)
    writeFlags(HeaderProbabilities.motionUnchanged, to: &coder)
  }

  // An array's iterator would be allocated in a debug build.

  /// Fields of these widths.
  private static func writeZeros(_ bits: [Int], to coder: inout BoolEncoder) {
    for index in bits.indices { coder.write(0, bits: bits[index]) }
  }

  /// Flags that are not set.
  private static func writeFlags(_ probabilities: [UInt8], to coder: inout BoolEncoder) {
    for index in probabilities.indices { coder.write(false, probability: probabilities[index]) }
  }

  /// The probabilities of `false` for: has no coefficients, is predicted from another frame, is so from other than the
  /// last.
  private static let (skipped, inter, last): (UInt8, UInt8, UInt8) = (1, 1, 255)

  private static func writeMacroblocks(columns: Int, rows: Int, to coder: inout BoolEncoder) {
    for row in 0..<rows {
      for column in 0..<columns {
        coder.write(true, probability: skipped)
        coder.write(true, probability: inter)
        coder.write(false, probability: last)
        let still = (row > 0 ? 2 : 0) + (column > 0 ? 2 : 0) + (row > 0 && column > 0 ? 1 : 0)
        coder.write(false, probability: HeaderProbabilities.zeroMotion[still])
      }
    }
  }
}

/// Reads from a frame whether it uses segments.
enum FrameSegments {
  /// - Returns: nil when the frame is too short to say.
  static func isEnabled(in frame: UnsafeRawBufferPointer) -> Bool? {
    guard frame.count >= 12 else { return nil }
    let isKeyFrame = frame[0] & 1 == 0
    let begin = isKeyFrame ? 10 : 3
    var flags = HeaderFlags(frame[begin], frame[begin + 1])
    guard isKeyFrame else { return flags.next() }
    // Colour space and clamping.
    _ = (flags.next(), flags.next())
    return flags.next()
  }
}
