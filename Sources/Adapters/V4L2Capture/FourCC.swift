/// A V4L2 pixel format code: four characters in a little-endian word, the highest bit for big-endian variants.
struct FourCC: Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// Takes up to four characters; short codes are filled with spaces.
  init(_ text: StaticString) {
    let characters = text.withUTF8Buffer { Array($0.prefix(4)) }
    let filled = characters + Array(repeating: UInt8(ascii: " "), count: 4 - characters.count)
    rawValue = filled.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  var bigEndian: FourCC { FourCC(rawValue | 1 << 31) }

  /// The code as text without filling spaces, for example `YUYV`, `Y16` or `Y16-BE`.
  var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) & 0x7F }
    let printable = bytes.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
    let end = printable.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
    return String(decoding: printable[..<end], as: UTF8.self) + (rawValue >> 31 == 1 ? "-BE" : "")
  }
}
