/// Layouts of uncompressed sound samples, little-endian, as sound cards and WAV files have them.
public enum PCMFormat: UInt8, Sendable, Hashable, CaseIterable {
  /// 16 bits.
  case signed16
  /// 24 bits in three bytes.
  case signed24
  /// 24 bits in the low three of four bytes.
  case signed24In32
  /// 32 bits, of which a device may use only the high ones.
  case signed32
  /// IEEE 754, full scale being ±1.
  case float32

  /// Bytes of one sample.
  @inlinable
  public var byteCount: Int {
    switch self {
    case .signed16: 2
    case .signed24: 3
    case .signed24In32, .signed32, .float32: 4
    }
  }
}

// MARK: - To and from 16 bits

extension PCMFormat {
  /// Reads interleaved frames as 16-bit samples, mixing channels.
  ///
  /// One channel is copied to both of two; of several, the first two (front left and right) count, and their mean makes
  /// mono.
  /// - Parameters:
  ///   - bytes: whole frames of `inputChannels`; the rest of an unfinished one is ignored.
  ///   - outputChannels: 1 or 2.
  /// - Returns: frames written, as many as are there and fit.
  public func decode(
    _ bytes: RawSpan, channels inputChannels: Int, into output: inout MutableSpan<Int16>, channels outputChannels: Int
  ) -> Int {
    let frameBytes = byteCount * inputChannels
    let frames = min(bytes.byteCount / frameBytes, output.count / outputChannels)
    for frame in 0..<frames {
      let first = sample(bytes, at: frame * frameBytes)
      let second = inputChannels > 1 ? sample(bytes, at: frame * frameBytes + byteCount) : first
      if outputChannels == 1 {
        output[frame] = Int16((Int32(first) + Int32(second)) >> 1)
      } else {
        output[2 * frame] = first
        output[2 * frame + 1] = second
      }
    }
    return frames
  }

  private func sample(_ bytes: RawSpan, at offset: Int) -> Int16 {
    switch self {
    case .signed16: unsafe load(bytes, offset)
    case .signed24, .signed24In32: unsafe load(bytes, offset + 1)
    case .signed32: unsafe load(bytes, offset + 2)
    case .float32: Self.clipped(Float(bitPattern: UInt32(littleEndian: unsafe load(bytes, offset))))
    }
  }

  /// The loads of `sample(_:at:)` begin inside a frame that `decode` found to be whole.
  @unsafe private func load<Value: FixedWidthInteger & BitwiseCopyable>(_ bytes: RawSpan, _ offset: Int) -> Value {
    Value(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Value.self))
  }

  private static func clipped(_ value: Float) -> Int16 {
    guard value.isFinite else { return 0 }
    return Int16(max(-32_768, min(32_767, (value * 32_768).rounded())))
  }

  /// Writes 16-bit samples as interleaved frames of this layout, mixing channels.
  ///
  /// Mono goes to the first two channels, two channels are averaged for a mono device, channels above two are silent.
  /// - Parameter inputChannels: 1 or 2.
  /// - Returns: frames written, as many as are there and fit.
  public func encode(
    _ input: Span<Int16>, channels inputChannels: Int, into output: inout MutableRawSpan, channels outputChannels: Int
  ) -> Int {
    let frameBytes = byteCount * outputChannels
    let frames = min(input.count / inputChannels, output.byteCount / frameBytes)
    for frame in 0..<frames {
      let first = input[frame * inputChannels]
      let second = input[frame * inputChannels + inputChannels - 1]
      let mono = Int16((Int32(first) + Int32(second)) >> 1)
      for channel in 0..<outputChannels {
        let value = outputChannels == 1 ? mono : channel == 0 ? first : channel == 1 ? second : 0
        store(value, into: &output, at: frame * frameBytes + channel * byteCount)
      }
    }
    return frames
  }

  private func store(_ sample: Int16, into output: inout MutableRawSpan, at offset: Int) {
    switch self {
    case .signed16: output.storeBytes(of: sample.littleEndian, toByteOffset: offset, as: Int16.self)
    case .signed24:
      output.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
      output.storeBytes(of: sample.littleEndian, toByteOffset: offset + 1, as: Int16.self)
    case .signed24In32: storeWord(UInt32(bitPattern: Int32(sample) << 8), into: &output, at: offset)
    case .signed32: storeWord(UInt32(bitPattern: Int32(sample) << 16), into: &output, at: offset)
    case .float32: storeWord((Float(sample) / 32_768).bitPattern, into: &output, at: offset)
    }
  }

  private func storeWord(_ word: UInt32, into output: inout MutableRawSpan, at offset: Int) {
    output.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
}
