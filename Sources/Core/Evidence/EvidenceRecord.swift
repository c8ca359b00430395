import MediaCore
public import TransportCrypto

/// A statement in the form of the evidence file: numbered, bound to the one before, and signed.
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------------------------------------------------------+
/// |                         "LSEV" (magic)                        |
/// |             length of the record, signature included          |
/// |  version = 1  |     kind      |    flags    |S|       0       |
/// |                     number, counts from 0 (64)                |
/// |           wall clock, milliseconds since 1970 (64)            |
/// |               monotonic clock, milliseconds (64)              |
/// |          digest of the statement before (256 bits)            |
/// |                  items: see EvidenceItem+Coding               |
/// |                     signature (512 bits)                      |
/// +---------------------------------------------------------------+
/// ```
///
/// S says whether the wall clock was synchronised. All numbers are in network order. The digest of a record is that of all
/// but its signature, for ``EvidencePurpose/chain``; what is signed is the text of ``EvidencePurpose/signature`` and then
/// that digest.
public struct EvidenceRecord: Hashable, Sendable {
  public var number: UInt64
  /// The digest of the statement before.
  public var previous: EvidenceDigest
  public var statement: EvidenceStatement
  /// What the next one follows.
  public var digest: EvidenceDigest
  /// 64 octets.
  public var signature: [UInt8]

  /// A larger record is taken for damaged; a statement that does not fit is split.
  public static let maximumByteCount = 1 << 20
  static let magic: UInt32 = 0x4C53_4556
  static let version: UInt8 = 1
  static let signatureByteCount = 64
  static let fixedByteCount = 68
  static let minimumByteCount = fixedByteCount + signatureByteCount
}

extension EvidenceRecord {
  /// Whether the key made the signature.
  public func isSigned(by publicKey: [UInt8], _ verifier: any SignatureVerifying) -> Bool {
    let message = Self.signedMessage(digest)
    return unsafe verifier.isValidEd25519(
      signature: signature.span.bytes, of: message.span.bytes, publicKey: publicKey.span.bytes)
  }

  static func signedMessage(_ digest: EvidenceDigest) -> [UInt8] { EvidencePurpose.signature.prefix + digest.octets }
}

// MARK: - Writing

extension EvidenceRecord {
  /// All but the signature.
  static func encodeUnsigned(_ statement: EvidenceStatement, number: UInt64, previous: EvidenceDigest) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(minimumByteCount + 64 * statement.items.count)
    bytes.appendNumber(magic)
    bytes.appendNumber(UInt32(0))
    bytes += [version, statement.kind.rawValue, statement.time.isSynchronized ? 1 : 0, 0]
    bytes.appendNumber(number)
    bytes.appendNumber(UInt64(bitPattern: statement.time.wallClock))
    bytes.appendNumber(UInt64(bitPattern: statement.time.monotonic))
    bytes += previous.octets
    for item in statement.items { item.encode(to: &bytes) }
    let length = UInt32(clamping: bytes.count + signatureByteCount)
    for (index, shift) in [24, 16, 8, 0].enumerated() { bytes[4 + index] = UInt8(truncatingIfNeeded: length >> shift) }
    return bytes
  }
}

extension [UInt8] {
  /// Appends a number in network order.
  mutating func appendNumber<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }
}

// MARK: - Reading

/// Why bytes are no record.
public enum EvidenceRecordError: Error, Equatable, Sendable {
  /// No record begins here.
  case noMagic
  /// The record is longer than the available bytes.
  case incomplete
  /// The length is impossible.
  case badLength
  /// A later version of the format, which this program cannot read.
  case otherVersion(UInt8)
  /// The kind, a flag or an item is unknown to the format.
  case malformed
}

extension EvidenceRecord {
  /// The length of the record that begins here.
  public static func byteCount(at bytes: RawSpan) throws(EvidenceRecordError) -> Int {
    var reader = ByteReader(bytes)
    guard let word = try? reader.readUInt32(), let length = try? reader.readUInt32() else { throw .incomplete }
    guard word == magic else { throw .noMagic }
    let count = Int(clamping: length)
    guard (minimumByteCount...maximumByteCount).contains(count) else { throw .badLength }
    return count
  }

  /// Reads the record at the front of the bytes; its signature is not verified.
  public init(decoding bytes: RawSpan, _ hashing: any SHA256Hashing) throws(EvidenceRecordError) {
    let length = try Self.byteCount(at: bytes)
    guard length <= bytes.byteCount else { throw .incomplete }
    let signed = bytes.extracting(0..<length - Self.signatureByteCount)
    var reader = ByteReader(signed)
    try self.init(
      reading: &reader, digest: EvidenceDigest(.chain, of: signed, hashing),
      signature: bytes.extracting(signed.byteCount..<length).copiedToArray())
  }

  private init(
    reading reader: inout ByteReader, digest: EvidenceDigest, signature: [UInt8]
  ) throws(EvidenceRecordError) {
    // The magic number and the length.
    _ = try reader.takeUInt64()
    let version = try reader.takeUInt8()
    guard version == Self.version else { throw .otherVersion(version) }
    guard let kind = EvidenceStatement.Kind(rawValue: try reader.takeUInt8()) else {
      throw .malformed
    }
    let (flags, zero) = (try reader.takeUInt8(), try reader.takeUInt8())
    guard flags <= 1, zero == 0 else { throw .malformed }
    number = try reader.takeUInt64()
    let time = EvidenceTime(
      wallClock: Int64(bitPattern: try reader.takeUInt64()), isSynchronized: flags == 1,
      monotonic: Int64(bitPattern: try reader.takeUInt64()))
    previous = try reader.takeDigest()
    var items: [EvidenceItem] = []
    while !reader.isAtEnd { items.append(try EvidenceItem(reading: &reader)) }
    statement = EvidenceStatement(kind, at: time, items: items)
    self.digest = digest
    self.signature = signature
  }
}

/// Reads whose failure is the record's: one that ends within an item is malformed.
extension ByteReader {
  mutating func takeUInt8() throws(EvidenceRecordError) -> UInt8 {
    UInt8(truncatingIfNeeded: try takeNumber(1))
  }

  mutating func takeUInt16() throws(EvidenceRecordError) -> UInt16 {
    UInt16(truncatingIfNeeded: try takeNumber(2))
  }

  mutating func takeUInt32() throws(EvidenceRecordError) -> UInt32 {
    UInt32(truncatingIfNeeded: try takeNumber(4))
  }

  mutating func takeUInt64() throws(EvidenceRecordError) -> UInt64 { try takeNumber(8) }

  mutating func takeDigest() throws(EvidenceRecordError) -> EvidenceDigest {
    EvidenceDigest(octets: try takeOctets(EvidenceDigest.byteCount))
  }

  mutating func takeOctets(_ count: Int) throws(EvidenceRecordError) -> [UInt8] {
    do throws(UnexpectedEnd) {
      return try readBytes(count).copiedToArray()
    } catch {
      throw .malformed
    }
  }

  /// An unsigned number of this many octets, the most significant first.
  private mutating func takeNumber(_ count: Int) throws(EvidenceRecordError) -> UInt64 {
    try takeOctets(count).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
