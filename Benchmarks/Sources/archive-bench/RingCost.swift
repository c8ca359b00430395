import MediaCore

/// A frame's way through a ring: one copy in, read in place.
enum RingCost {
  static func measure() {
    let ring = FrameRing(byteCount: 3 << 20)
    let (header, payload) = TestFrames().picture(1, from: MonotonicInstant(nanoseconds: 0))
    let count = 1_000_000
    var bytes = 0
    let time = processorMilliseconds {
      for _ in 0..<count {
        ring.push(header, payload: payload.span.bytes)
        ring.popFirst { _, payload in bytes += payload.byteCount }
      }
    }
    print("ring: \(Int(time * 1e6) / count) ns for push and pop of \(bytes / count) bytes")
  }
}
