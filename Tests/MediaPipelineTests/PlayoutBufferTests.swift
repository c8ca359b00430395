import Testing

@testable import MediaPipeline

private func insert(_ number: UInt32, into buffer: inout PlayoutBuffer) {
  let payload: [UInt8] = [UInt8(truncatingIfNeeded: number), 1, 2, 3]
  buffer.insert(number, payload.span.bytes)
}

/// The first byte of the packet that is due, and goes on.
private func take(_ buffer: inout PlayoutBuffer) -> UInt8? {
  defer { buffer.advance() }
  return buffer.peek { $0.unsafeLoad(as: UInt8.self) }
}

@Suite struct PlayoutBufferTests {
  @Test func putsPacketsInOrder() {
    var buffer = PlayoutBuffer()
    for number in [10, 12, 11, 14] as [UInt32] { insert(number, into: &buffer) }
    let held = buffer.count
    #expect(held == 4)
    let taken = [take(&buffer), take(&buffer), take(&buffer), take(&buffer), take(&buffer)]
    #expect(taken == [10, 11, 12, nil, 14])
    let left = buffer.count
    #expect(left == 0)
  }

  @Test func lendsThePacketAfterAMissingOne() {
    var buffer = PlayoutBuffer()
    insert(0, into: &buffer)
    buffer.advance()
    insert(2, into: &buffer)
    let isDue = buffer.peek { _ in true } ?? false
    #expect(!isDue)
    let following = buffer.peek(isFollowing: true) { $0.unsafeLoad(as: UInt8.self) }
    #expect(following == 2)
  }

  @Test func refusesLateAndDoubleAndOverlongPackets() {
    var buffer = PlayoutBuffer()
    insert(5, into: &buffer)
    insert(5, into: &buffer)
    insert(4, into: &buffer)
    buffer.insert(6, [UInt8](repeating: 0, count: 4_000).span.bytes)
    let (refused, held) = (buffer.refused, buffer.count)
    #expect(refused == 3)
    #expect(held == 1)
  }

  @Test func beginsAnewAfterAJump() {
    var buffer = PlayoutBuffer()
    insert(5, into: &buffer)
    insert(1_000, into: &buffer)
    let held = buffer.count
    #expect(held == 1)
    let ahead = take(&buffer)
    #expect(ahead == UInt8(truncatingIfNeeded: 1_000))
    insert(3, into: &buffer)
    let back = take(&buffer)
    #expect(back == 3)
  }

  @Test func countsOnAcrossTheWrap() {
    var buffer = PlayoutBuffer()
    for number in [UInt32.max - 1, .max, 0, 1] { insert(number, into: &buffer) }
    let taken = [take(&buffer), take(&buffer), take(&buffer), take(&buffer)]
    #expect(taken == [254, 255, 0, 1])
  }
}
