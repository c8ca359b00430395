/// Finds whole JPEGs one after the other in a stream, by the markers of ITU-T T.81 annex B.
///
/// Segments are skipped by their lengths, so that a thumbnail within one ends nothing, and stuffed bytes and restart
/// markers of entropy-coded data are none of its ends. An image without EOI ends where the next one begins. What lies
/// between images (the headers of a multipart stream) is skipped. Each byte is looked at once.
struct JPEGScanner: Hashable, Sendable {
  private enum Place: Hashable {
    case outside
    /// Where a marker is expected: before the first scan, or between scans.
    case marker
    /// In a segment of which so many bytes follow.
    case segment(Int, isScanHeader: Bool)
    case entropyCodedData
  }

  /// An image has no more.
  let maximumByteCount: Int
  /// The next byte to look at.
  private(set) var position = 0
  private var place = Place.outside
  private var start: Int?
  /// Bytes outside images since the last one.
  private var skipped = 0

  private static let longestGap = 4 << 20
  private static let soi: UInt8 = 0xD8
  private static let eoi: UInt8 = 0xD9
  private static let sos: UInt8 = 0xDA

  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  /// How many bytes from the beginning on are of no use any more.
  var disposable: Int { start ?? position }

  /// The first bytes were removed, at most ``disposable``.
  mutating func remove(_ count: Int) {
    position -= count
    start = start.map { $0 - count }
  }

  /// Returns where the next whole image lies; nil where more bytes are needed.
  mutating func next(_ bytes: RawSpan) throws(VideoStreamError) -> Range<Int>? {
    while position < bytes.byteCount {
      let before = (position, place)
      let image = try step(bytes)
      let from = image?.lowerBound ?? start
      if let from, position - from > maximumByteCount { throw .endlessJPEG(byteCount: maximumByteCount) }
      if let image { return image }
      // Half a marker is there.
      if before == (position, place) { break }
    }
    return nil
  }

  private mutating func step(_ bytes: RawSpan) throws(VideoStreamError) -> Range<Int>? {
    switch place {
    case .outside: try searchStart(bytes)
    case .marker: return readMarker(bytes)
    case .segment(let rest, let isScanHeader):
      let count = min(rest, bytes.byteCount - position)
      position += count
      place = count < rest ? .segment(rest - count, isScanHeader: isScanHeader) : afterSegment(isScanHeader)
    case .entropyCodedData: return readEntropyCodedData(bytes)
    }
    return nil
  }

  private func afterSegment(_ isScanHeader: Bool) -> Place { isScanHeader ? .entropyCodedData : .marker }
}

// MARK: - Places

extension JPEGScanner {
  private mutating func searchStart(_ bytes: RawSpan) throws(VideoStreamError) {
    let from = position
    position = bytes.firstMarkerByte(from: position)
    defer { skipped = place == .outside ? skipped + (position - from) : 0 }
    guard skipped < Self.longestGap else { throw .noJPEG(byteCount: skipped) }
    guard position + 1 < bytes.byteCount else { return }
    if bytes.byte(at: position + 1) == Self.soi { begin() } else { position += 1 }
  }

  /// At SOI.
  private mutating func begin() {
    start = position
    position += 2
    place = .marker
  }

  private mutating func end(at end: Int) -> Range<Int>? {
    defer { start = nil }
    (position, place, skipped) = (end, .outside, 0)
    return start.map { $0..<end }
  }

  /// Stray bytes before a marker and fill bytes are passed over, as decoders do.
  private mutating func readMarker(_ bytes: RawSpan) -> Range<Int>? {
    position = bytes.firstMarkerByte(from: position)
    guard position + 1 < bytes.byteCount else { return nil }
    switch bytes.byte(at: position + 1) {
    case 0xFF: position += 1
    case Self.soi: begin()
    case Self.eoi: return end(at: position + 2)
    // Without a length: stuffing, TEM, restart.
    case 0x00, 0x01, 0xD0...0xD7: position += 2
    case let code: readLength(bytes, isScanHeader: code == Self.sos)
    }
    return nil
  }

  private mutating func readLength(_ bytes: RawSpan, isScanHeader: Bool) {
    guard position + 3 < bytes.byteCount else { return }
    let high = Int(clamping: bytes.byte(at: position + 2))
    let length = high << 8 | Int(clamping: bytes.byte(at: position + 3))
    position += 2
    place = length >= 2 ? .segment(length, isScanHeader: isScanHeader) : .marker
  }

  private mutating func readEntropyCodedData(_ bytes: RawSpan) -> Range<Int>? {
    position = bytes.firstMarkerByte(from: position)
    guard position + 1 < bytes.byteCount else { return nil }
    switch bytes.byte(at: position + 1) {
    case Self.eoi: return end(at: position + 2)
    case Self.soi: return end(at: position)
    case 0xFF: position += 1
    // What may stand between scans: tables, the next scan, the number of lines, the restart interval, a comment.
    case 0xC4, 0xDA...0xDD, 0xFE: place = .marker
    default: position += 2
    }
    return nil
  }
}

// MARK: - Bytes

extension RawSpan {
  fileprivate func byte(at offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// Where the first 0xFF lies from `offset` on; the end where there is none. Eight bytes at a time.
  fileprivate func firstMarkerByte(from offset: Int) -> Int {
    var offset = offset
    while offset + 8 <= byteCount {
      let word = unsafe ~unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // Zero bytes of the complement, by the borrow that they cause.
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { break }
      offset += 8
    }
    while offset < byteCount, byte(at: offset) != 0xFF { offset += 1 }
    return offset
  }
}
