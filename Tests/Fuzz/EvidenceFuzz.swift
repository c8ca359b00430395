import Evidence
import TestSupport
import TransportCrypto

/// Digests that tell bytes apart, and need no library.
private final class SumHash: SHA256Hash {
  private var sums: [UInt64] = [1, 2, 3, 4]

  func update(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount {
      let byte = UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
      sums[index % 4] = (sums[index % 4] ^ byte) &* 0x100_0000_01B3 &+ sums[(index + 1) % 4]
    }
  }

  func finish() -> [UInt8] {
    sums.flatMap { sum in (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) } }
  }
}

/// Believes every other signature, so that statements of both kinds are read.
private final class SumCrypto: SHA256Hashing, SignatureVerifying {
  func makeSHA256() -> any SHA256Hash { SumHash() }

  func isValidEd25519(signature: RawSpan, of message: RawSpan, publicKey: RawSpan) -> Bool {
    signature.unsafeLoad(fromByteOffset: 0, as: UInt8.self) & 1 == 0
  }
}

/// Reads any bytes as evidence; what is read as a record has to read the same again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let crypto = SumCrypto()
  var source = MemorySource(Array(UnsafeBufferPointer(start: data, count: size)))
  var reader = EvidenceReader(crypto)
  var audit = EvidenceAudit(crypto, crypto)
  var resumption = EvidenceResumption()
  var end: UInt64 = 0
  while let element = reader.next(&source) {
    switch element {
    case .record(_, let next):
      precondition(next > end)
      end = next
    case .damage(let offset, let byteCount, _):
      precondition(offset == end && byteCount > 0)
      end = offset + byteCount
    }
    audit.take(element)
    resumption.take(element)
  }
  audit.finish()
  precondition(end == UInt64(size))
  precondition(resumption.end <= UInt64(size))
  for range in audit.ranges { _ = range.range.end }
  return 0
}
