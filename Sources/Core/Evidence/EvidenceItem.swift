/// One item of a statement.
public enum EvidenceItem: Hashable, Sendable {
  /// The archive that the evidence belongs to.
  case archive(id: String)
  /// The Ed25519 key with which the device signs this chain, 32 octets.
  case deviceKey([UInt8])
  /// The hub's statement of whose key it is: a signed JWT in compact form.
  case certificate(String)
  /// A file that later items call by its number.
  case file(EvidenceFile)
  /// Bytes that were appended to a file.
  case range(EvidenceRange)
  /// A file that no longer changes, and the part before its first cluster.
  case completed(EvidenceCompletion)
  /// A file as a whole, such as the manifest. A later one of the same name takes the earlier one's place.
  case document(EvidenceDocument)
  /// Bytes that were there when the archive was recovered after a power cut, without proof from before.
  case found(EvidenceRange)
  /// An answer of a time-stamping authority (RFC 3161) about the digest of an earlier statement.
  case timeStamp(EvidenceTimeStamp)
}

/// A file of the archive that grows cluster by cluster, or line by line.
public struct EvidenceFile: Hashable, Sendable {
  /// Counts from 0 within the archive.
  public var number: UInt16
  /// When its first frame was captured: milliseconds of the device's monotonic clock.
  public var start: Int64
  public var name: String

  /// Takes the values unchecked.
  public init(number: UInt16, start: Int64, name: String) {
    self.number = number
    self.start = start
    self.name = name
  }
}

/// Bytes of a file, and what stretch of time they hold.
public struct EvidenceRange: Hashable, Sendable {
  /// The file's number.
  public var file: UInt16
  /// Octets from the start of the file.
  public var offset: UInt64
  public var byteCount: UInt32
  /// Milliseconds from the file's start.
  public var from: UInt32
  public var to: UInt32
  public var digest: EvidenceDigest

  /// Takes the values unchecked.
  public init(file: UInt16, offset: UInt64, byteCount: UInt32, from: UInt32, to: UInt32, digest: EvidenceDigest) {
    self.file = file
    self.offset = offset
    self.byteCount = byteCount
    self.from = from
    self.to = to
    self.digest = digest
  }

  /// Where the bytes end; offsets from outside may be any number.
  public var end: UInt64 {
    offset.addingReportingOverflow(UInt64(byteCount)).overflow ? .max : offset + UInt64(byteCount)
  }
}

/// The facts about a file that no longer changes.
public struct EvidenceCompletion: Hashable, Sendable {
  /// The file's number.
  public var file: UInt16
  public var byteCount: UInt64
  /// How many octets stand before the first cluster.
  public var headerByteCount: UInt32
  /// The digest of those octets.
  public var digest: EvidenceDigest

  /// Takes the values unchecked.
  public init(file: UInt16, byteCount: UInt64, headerByteCount: UInt32, digest: EvidenceDigest) {
    self.file = file
    self.byteCount = byteCount
    self.headerByteCount = headerByteCount
    self.digest = digest
  }
}

/// A file as a whole.
public struct EvidenceDocument: Hashable, Sendable {
  public var name: String
  public var byteCount: UInt64
  public var digest: EvidenceDigest

  /// Takes the values unchecked.
  public init(name: String, byteCount: UInt64, digest: EvidenceDigest) {
    self.name = name
    self.byteCount = byteCount
    self.digest = digest
  }
}

/// What a time-stamping authority answered.
public struct EvidenceTimeStamp: Hashable, Sendable {
  /// The statement whose digest was stamped.
  public var statement: UInt64
  /// A TimeStampResp in DER (RFC 3161 §2.4.2).
  public var response: [UInt8]

  /// Takes the values unchecked.
  public init(statement: UInt64, response: [UInt8]) {
    self.statement = statement
    self.response = response
  }
}
