/// The counts of a TZif header.
struct TZifHeader {
  var universalCount: Int
  var standardCount: Int
  var leapCount: Int
  var timeCount: Int
  var typeCount: Int
  var characterCount: Int

  /// The size of the data block that follows.
  func byteCount(timeSize: Int) -> Int {
    timeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4) + standardCount
      + universalCount
  }
}

/// Walks the bytes of a TZif file; every reading beyond the end yields nil.
struct TZifReader {
  private let content: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { content = bytes }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= content.count - position else { return nil }
    defer { position += count }
    return content[position..<position + count]
  }

  mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

  mutating func header() -> TZifHeader? {
    guard let magic = bytes(4), Array(magic) == Array("TZif".utf8), let version = bytes(1)?.first,
      version >= UInt8(ascii: "2"), skip(15)
    else { return nil }
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = integer(4), (0...20_000).contains(count) else { return nil }
      counts.append(Int(clamping: count))
    }
    return TZifHeader(
      universalCount: counts[0], standardCount: counts[1], leapCount: counts[2], timeCount: counts[3],
      typeCount: counts[4], characterCount: counts[5])
  }

  mutating func times(count: Int) -> [Int64]? {
    guard let block = bytes(count * 8) else { return nil }
    return (0..<count).map { index in
      block.dropFirst(index * 8).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
  }

  /// The offsets of the local time types; flags and abbreviations are of no use here.
  mutating func offsets(count: Int) -> [Int]? {
    var offsets: [Int] = []
    for _ in 0..<count {
      guard let offset = integer(4), (-93_600...93_600).contains(offset), skip(2) else { return nil }
      offsets.append(Int(clamping: offset))
    }
    return offsets
  }

  /// The TZ string between line feeds at the end.
  mutating func footer() -> String? {
    guard bytes(1)?.first == UInt8(ascii: "\n") else { return nil }
    let rest = content[position...]
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  private mutating func integer(_ count: Int) -> Int32? {
    bytes(count).map { $0.reduce(Int32(0)) { $0 << 8 | Int32($1) } }
  }
}
