import MediaCore
import Testing

@Suite struct FramePayloadTests {
  @Test func copiesAreIntactWhileTheyAreKept() {
    var pool = FramePayloadPool()
    var kept: [FramePayload] = []
    for size in 1...300 {
      let payload = pool.copy([UInt8](repeating: UInt8(size % 251), count: size * 37).span.bytes)
      kept.append(payload)
      // The oldest are given up, and their memory is used again.
      if kept.count > 40 { kept.removeFirst(7) }
    }
    for payload in kept {
      let octets = payload.bytes.withUnsafeBytes { Array($0) }
      let size = payload.byteCount / 37
      #expect(octets == [UInt8](repeating: UInt8(size % 251), count: size * 37))
    }
  }

  @Test func memoryServesAgainOnceNothingRefersToIt() {
    var pool = FramePayloadPool()
    var first: FramePayload? = pool.copy([UInt8](repeating: 1, count: 3_000).span.bytes)
    let identity = first.map(ObjectIdentifier.init)
    let second = pool.copy([UInt8](repeating: 2, count: 3_000).span.bytes)
    #expect(ObjectIdentifier(second) != identity)
    first = nil
    let third = pool.copy([UInt8](repeating: 3, count: 2_900).span.bytes)
    #expect(ObjectIdentifier(third) == identity)
    #expect(third.byteCount == 2_900)
  }

  @Test func fewAreKeptUnused() {
    var pool = FramePayloadPool()
    let witnesses = (0..<100).map { index in
      Witness(pool.copy([UInt8](repeating: 0, count: 2_000 + index).span.bytes))
    }
    for witness in witnesses { witness.strong = nil }
    for _ in 0..<200 { _ = pool.copy([1, 2, 3].span.bytes) }
    #expect(witnesses.count { $0.payload != nil } <= 17)
  }

  @Test func anEmptyFrameHasNoOctets() {
    var pool = FramePayloadPool()
    let count = pool.copy(RawSpan()).bytes.byteCount
    #expect(count == 0)
  }

  private final class Witness {
    weak var payload: FramePayload?
    var strong: FramePayload?

    init(_ payload: FramePayload) { (self.payload, strong) = (payload, payload) }
  }
}
