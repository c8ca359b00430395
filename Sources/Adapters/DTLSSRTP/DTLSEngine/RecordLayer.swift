import MediaCore

/// Where DTLS records begin and end (RFC 6347 §4.1).
///
///     ContentType (1) | version (2) | epoch (2) | sequence_number (6) | length (2) | fragment
enum RecordLayer {
  static let headerSize = 13

  enum ContentType {
    static let changeCipherSpec: UInt8 = 20
    static let handshake: UInt8 = 22
    static let applicationData: UInt8 = 23
  }

  /// What a datagram holds.
  struct Contents {
    /// Octets of the whole, plausible records at the front.
    var count = 0
    var hasHandshake = false
  }

  /// Walks the records of a datagram; the first implausible one ends the walk.
  static func inspect(_ datagram: RawSpan) -> Contents {
    var contents = Contents()
    while let (type, length) = record(at: contents.count, in: datagram) {
      contents.count += length
      if type == ContentType.handshake || type == ContentType.changeCipherSpec { contents.hasHandshake = true }
    }
    return contents
  }

  /// Packs the records of a flight into datagrams of at most `limit` octets; a longer record travels alone.
  static func split(_ flight: RawSpan, limit: Int) -> [Range<Int>] {
    var datagrams: [Range<Int>] = []
    var start = 0
    var end = 0
    while let (_, length) = record(at: end, in: flight) {
      if end + length - start > limit, end > start {
        datagrams.append(start..<end)
        start = end
      }
      end += length
    }
    if end > start { datagrams.append(start..<end) }
    return datagrams
  }

  /// The type and length, header included, of the record at `offset`; nil where none is plausible.
  static func record(at offset: Int, in bytes: RawSpan) -> (type: UInt8, length: Int)? {
    var reader = ByteReader(bytes.extracting(offset..<bytes.byteCount))
    guard let type = try? reader.readUInt8(), let major = try? reader.readUInt8(),
      (try? reader.skip(headerSize - 4)) != nil, let length = try? reader.readUInt16(),
      (ContentType.changeCipherSpec...ContentType.applicationData).contains(type), major == 0xFE,
      reader.remaining >= Int(length)
    else { return nil }
    return (type, headerSize + Int(length))
  }
}
