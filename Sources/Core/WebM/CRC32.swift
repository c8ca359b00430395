/// The checksum of a CRC-32 element (RFC 8794 §11.3.1): IEEE 802.3, reflected, stored little-endian.
///
/// Works on eight bytes at a time with eight tables ("slicing by eight").
enum CRC32 {
  static func checksum(_ bytes: RawSpan) -> UInt32 {
    table.withSpan { table in
      var crc = ~UInt32(0)
      var offset = 0
      while offset + 8 <= bytes.byteCount {
        let word = unsafe UInt64(
          littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
        crc = advance(word ^ UInt64(crc), table)
        offset += 8
      }
      while offset < bytes.byteCount {
        let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
        crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        offset += 1
      }
      return ~crc
    }
  }

  @inline(__always)
  private static func advance(_ word: UInt64, _ table: Span<UInt32>) -> UInt32 {
    var crc: UInt32 = 0
    for index in 0..<8 {
      crc ^= table[256 * (7 - index) + Int(UInt8(truncatingIfNeeded: word >> UInt64(8 * index)))]
    }
    return crc
  }

  private static let table: [UInt32] = makeTable()

  private static func makeTable() -> [UInt32] {
    var table = [UInt32](repeating: 0, count: 8 * 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
      table[index] = value
    }
    for index in 256..<8 * 256 {
      let previous = table[index - 256]
      table[index] = previous >> 8 ^ table[Int(previous & 0xFF)]
    }
    return table
  }
}

extension Array {
  fileprivate func withSpan<Result>(_ body: (Span<Element>) -> Result) -> Result { body(span) }
}
