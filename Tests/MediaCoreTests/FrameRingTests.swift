import MediaCore
import Synchronization
import Testing

@Suite struct FrameRingTests {
  private func header(_ number: Int) -> EncodedFrameHeader {
    EncodedFrameHeader(
      kind: .video, timestamp: MonotonicInstant(nanoseconds: Int64(number)), duration: .zero, isKeyFrame: false,
      number: UInt32(number))
  }

  @Test func framesComeOutInOrderUntilTheRingIsFull() {
    let ring = FrameRing(byteCount: 4096)
    var stored = 0
    while ring.push(header(stored), payload: [UInt8](repeating: UInt8(stored), count: 100).span.bytes) { stored += 1 }
    #expect(stored > 20)
    #expect(ring.dropped == 1)
    for number in 0..<stored {
      let isRight = ring.popFirst { header, payload in
        header.number == UInt32(number) && payload.copiedToArray() == [UInt8](repeating: UInt8(number), count: 100)
      }
      #expect(isRight == true)
    }
    #expect(ring.isEmpty)
    #expect(ring.popFirst { _, _ in } == nil)
  }

  /// The whole memory is there for a consumer that stops, wherever the ring stood.
  @Test func emptyRingTakesItsWholeMemoryAgain() {
    let ring = FrameRing(byteCount: 64 * 1024)
    let payload = [UInt8](repeating: 7, count: 1000)
    func fill() -> Int {
      var count = 0
      while ring.push(header(count), payload: payload.span.bytes) { count += 1 }
      return count
    }
    func empty() { while ring.popFirst({ _, _ in }) != nil {} }
    let whole = fill()
    empty()
    for pushes in 1...whole {
      for number in 0..<pushes { ring.push(header(number), payload: payload.span.bytes) }
      empty()
      #expect(fill() >= whole - 1, "after \(pushes) frames")
      empty()
    }
  }

  /// It returns to the front of its memory after twice its largest frame, however large it is.
  @Test func aConsumerThatKeepsUpTouchesLittle() {
    let capacity = 1 << 20
    let ring = FrameRing(byteCount: capacity)
    for (number, size) in [1_000, 20_000, 1_000].enumerated() {
      let payload = [UInt8](repeating: 7, count: size)
      for _ in 0..<100 {
        ring.push(header(number), payload: payload.span.bytes)
        _ = ring.popFirst { _, _ in }
        #expect(Int(ring.end) % capacity < max(16 << 10, 2 * 21_000) + size)
      }
    }
    #expect(ring.end > 10 * Int64(capacity))
  }

  /// Producer and consumer race; the consumer often finds the ring empty, so that it returns to the front.
  @Test(arguments: [256, 1024, 8192]) func nothingIsLostOrTornBetweenTwoThreads(byteCount: Int) async {
    let ring = FrameRing(byteCount: byteCount)
    let count = 20_000
    let producer = Task.detached {
      for number in 0..<count {
        let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 60)
        while !ring.push(header(number), payload: payload.span.bytes) { await Task.yield() }
      }
    }
    var next = 0
    while next < count {
      let isRight = ring.popFirst { header, payload in
        header.number == UInt32(next) && payload.byteCount == next % 60
          && payload.copiedToArray().allSatisfy { $0 == UInt8(truncatingIfNeeded: next) }
      }
      if let isRight {
        guard isRight else {
          Issue.record("frame \(next) is not what was pushed")
          break
        }
        next += 1
      } else {
        await Task.yield()
      }
    }
    await producer.value
  }
}
