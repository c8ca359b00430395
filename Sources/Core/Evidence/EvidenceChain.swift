public import TransportCrypto

/// The end of a chain of statements; makes the record of the next one.
///
/// Does no I/O: the owner puts the record's bytes behind the others and then calls ``advance(past:)``. A record whose bytes
/// could not be written is forgotten, and the next takes its place.
public struct EvidenceChain: Sendable {
  /// The number of the next statement.
  public private(set) var nextNumber: UInt64
  /// The digest of the last one.
  public private(set) var head: EvidenceDigest

  /// A record that is to be written.
  public struct Pending: Sendable {
    public let bytes: [UInt8]
    public let number: UInt64
    let digest: EvidenceDigest
  }

  /// Begins a chain.
  public init() {
    nextNumber = 0
    head = .none
  }

  /// Continues after a record that was written before.
  public init(after record: EvidenceRecord) {
    nextNumber = record.number.addingReportingOverflow(1).partialValue
    head = record.digest
  }

  /// Makes the record of a statement, which must not be longer than ``EvidenceRecord/maximumByteCount``.
  public func makeRecord(
    _ statement: EvidenceStatement, _ hashing: any SHA256Hashing, signer: any MessageSigning
  ) throws(TransportCryptoError) -> Pending {
    var bytes = EvidenceRecord.encodeUnsigned(statement, number: nextNumber, previous: head)
    let digest = unsafe EvidenceDigest(.chain, of: bytes.span.bytes, hashing)
    bytes += try unsafe signer.signature(of: EvidenceRecord.signedMessage(digest).span.bytes)
    return Pending(bytes: bytes, number: nextNumber, digest: digest)
  }

  /// The record has been written.
  public mutating func advance(past pending: Pending) {
    nextNumber = pending.number.addingReportingOverflow(1).partialValue
    head = pending.digest
  }
}
