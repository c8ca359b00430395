import MediaCore

/// Items as bytes: a type of one octet, the length of the content in two, the content.
///
/// ```
/// 1 archive      id (UTF-8)
/// 2 device key   32
/// 3 certificate  JWT (ASCII)
/// 4 file         number (2), start (8), name (UTF-8)
/// 5 range        file (2), offset (8), byte count (4), from (4), to (4), digest (32)
/// 6 completed    file (2), byte count (8), header's byte count (4), digest (32)
/// 7 document     byte count (8), digest (32), name (UTF-8)
/// 8 found        as range
/// 9 time stamp   number of the statement (8), TimeStampResp (DER)
/// ```
extension EvidenceItem {
  /// Certificates and names are far from it; an authority's answer that is longer is refused where it arrives.
  public static let maximumContentByteCount = 0xFFFF

  private enum Code {
    static let archive: UInt8 = 1
    static let deviceKey: UInt8 = 2
    static let certificate: UInt8 = 3
    static let file: UInt8 = 4
    static let range: UInt8 = 5
    static let completed: UInt8 = 6
    static let document: UInt8 = 7
    static let found: UInt8 = 8
    static let timeStamp: UInt8 = 9
  }

  func encode(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes += [code, 0, 0]
    encodeContent(to: &bytes)
    let length = bytes.count - start - 3
    precondition(length <= Self.maximumContentByteCount, "an item of evidence is too long")
    bytes[start + 1] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[start + 2] = UInt8(truncatingIfNeeded: length)
  }

  private var code: UInt8 {
    switch self {
    case .archive: Code.archive
    case .deviceKey: Code.deviceKey
    case .certificate: Code.certificate
    case .file: Code.file
    case .range: Code.range
    case .completed: Code.completed
    case .document: Code.document
    case .found: Code.found
    case .timeStamp: Code.timeStamp
    }
  }

  private func encodeContent(to bytes: inout [UInt8]) {
    switch self {
    case .archive(let text), .certificate(let text): bytes += Array(text.utf8)
    case .deviceKey(let key): bytes += key
    case .file(let file):
      bytes.appendNumber(file.number)
      bytes.appendNumber(UInt64(bitPattern: file.start))
      bytes += Array(file.name.utf8)
    case .range(let range), .found(let range): range.encode(to: &bytes)
    case .completed(let completion):
      bytes.appendNumber(completion.file)
      bytes.appendNumber(completion.byteCount)
      bytes.appendNumber(completion.headerByteCount)
      bytes += completion.digest.octets
    case .document(let document):
      bytes.appendNumber(document.byteCount)
      bytes += document.digest.octets
      bytes += Array(document.name.utf8)
    case .timeStamp(let stamp):
      bytes.appendNumber(stamp.statement)
      bytes += stamp.response
    }
  }

  /// Reads one item, down to the last octet of its content.
  init(reading reader: inout ByteReader) throws(EvidenceRecordError) {
    let code = try reader.takeUInt8()
    let octets = try reader.takeOctets(Int(clamping: try reader.takeUInt16()))
    var content = unsafe ByteReader(octets.span.bytes)
    try self.init(code: code, content: &content)
    guard content.isAtEnd else { throw .malformed }
  }

  private init(code: UInt8, content: inout ByteReader) throws(EvidenceRecordError) {
    switch code {
    case Code.archive: self = .archive(id: try content.takeText())
    case Code.deviceKey: self = .deviceKey(try content.takeOctets(32))
    case Code.certificate: self = .certificate(try content.takeText())
    case Code.file:
      self = .file(
        EvidenceFile(
          number: try content.takeUInt16(), start: Int64(bitPattern: try content.takeUInt64()),
          name: try content.takeText()))
    case Code.range: self = .range(try EvidenceRange(reading: &content))
    case Code.found: self = .found(try EvidenceRange(reading: &content))
    case Code.completed:
      self = .completed(
        EvidenceCompletion(
          file: try content.takeUInt16(), byteCount: try content.takeUInt64(),
          headerByteCount: try content.takeUInt32(), digest: try content.takeDigest()))
    case Code.document:
      let (byteCount, digest) = (try content.takeUInt64(), try content.takeDigest())
      self = .document(EvidenceDocument(name: try content.takeText(), byteCount: byteCount, digest: digest))
    case Code.timeStamp:
      let statement = try content.takeUInt64()
      self = .timeStamp(EvidenceTimeStamp(statement: statement, response: content.readRemaining().copiedToArray()))
    default: throw .malformed
    }
  }
}

extension EvidenceRange {
  fileprivate func encode(to bytes: inout [UInt8]) {
    bytes.appendNumber(file)
    bytes.appendNumber(offset)
    bytes.appendNumber(byteCount)
    bytes.appendNumber(from)
    bytes.appendNumber(to)
    bytes += digest.octets
  }

  fileprivate init(reading reader: inout ByteReader) throws(EvidenceRecordError) {
    file = try reader.takeUInt16()
    offset = try reader.takeUInt64()
    byteCount = try reader.takeUInt32()
    from = try reader.takeUInt32()
    to = try reader.takeUInt32()
    digest = try reader.takeDigest()
  }
}

extension ByteReader {
  /// The rest, which has to be UTF-8.
  fileprivate mutating func takeText() throws(EvidenceRecordError) -> String {
    guard let text = String(validating: readRemaining().copiedToArray(), as: UTF8.self) else {
      throw .malformed
    }
    return text
  }
}
