import MediaCore

/// The place of an element that lies directly in the Segment.
struct SegmentElement {
  var id: ElementID
  var contentOffset: UInt64
  var contentByteCount: UInt64

  var end: UInt64 { contentOffset + contentByteCount }

  /// An ID of four bytes and a size of eight.
  private static let longestHeader = 12

  /// Reads the header of the element at `offset`; `nil` if there is none, or it does not end before `end`.
  init?<Source: WebMSource & ~Copyable>(
    _ window: inout ScanWindow, _ source: inout Source, at offset: UInt64, end: UInt64
  ) throws(Source.Failure) {
    try window.load(&source, at: offset, byteCount: Self.longestHeader)
    let found = window.withBytes { bytes -> (ElementID, Int, UInt64)? in
      var reader = ByteReader(bytes)
      guard let header = try? reader.readElementHeader(), let size = header.size else { return nil }
      return (header.id, reader.offset, size)
    }
    guard let found else { return nil }
    id = found.0
    contentOffset = offset + UInt64(found.1)
    contentByteCount = found.2
    guard contentOffset <= end, contentByteCount <= end - contentOffset else { return nil }
  }
}
