import Testing

@testable import MediaPipeline

private func append(_ number: UInt32, into buffer: inout PlayoutBuffer) {
  let payload: [UInt8] = [UInt8(truncatingIfNeeded: number), 1, 2, 3]
  buffer.append(number, payload.span.bytes)
}

/// The first byte of the packet that is due, and goes on.
private func take(_ buffer: inout PlayoutBuffer) -> UInt8? {
  defer { buffer.advance() }
  return buffer.peek { $0.unsafeLoad(as: UInt8.self) }
}

@Suite struct PlayoutBufferTests {
  @Test func knowsWhichPacketIsLost() {
    var buffer = PlayoutBuffer()
    for number in [10, 11, 12, 14] as [UInt32] { append(number, into: &buffer) }
    let held = buffer.count
    #expect(held == 4)
    let taken = [take(&buffer), take(&buffer), take(&buffer)]
    let isLost = buffer.isDueLost
    let rest = [take(&buffer), take(&buffer)]
    #expect(taken == [10, 11, 12])
    #expect(isLost)
    #expect(rest == [nil, 14])
    let left = buffer.count
    #expect(left == 0)
  }

  @Test func lendsThePacketAfterAMissingOne() {
    var buffer = PlayoutBuffer()
    append(0, into: &buffer)
    buffer.advance()
    append(2, into: &buffer)
    let isDue = buffer.peek { _ in true } ?? false
    #expect(!isDue)
    let following = buffer.peek(isFollowing: true) { $0.unsafeLoad(as: UInt8.self) }
    #expect(following == 2)
  }

  @Test func refusesLateAndDoubleAndOverlongPackets() {
    var buffer = PlayoutBuffer()
    append(5, into: &buffer)
    append(5, into: &buffer)
    append(4, into: &buffer)
    buffer.append(6, [UInt8](repeating: 0, count: 4_000).span.bytes)
    let (refused, held) = (buffer.refused, buffer.count)
    #expect(refused == 3)
    #expect(held == 1)
  }

  @Test func lendsThePacketAfterTheOneThatIsDue() {
    var buffer = PlayoutBuffer()
    for number in [7, 8] as [UInt32] { append(number, into: &buffer) }
    let following = buffer.peek(isFollowing: true) { $0.unsafeLoad(as: UInt8.self) }
    let isLost = buffer.isDueLost
    #expect(following == 8)
    #expect(!isLost)
  }

  @Test func holdsAsManyAsFit() {
    var buffer = PlayoutBuffer()
    for number in 0..<UInt32(PlayoutBuffer.capacity) { append(number, into: &buffer) }
    let held = buffer.count
    #expect(held == PlayoutBuffer.capacity)
    for number in 0..<PlayoutBuffer.capacity {
      let taken = take(&buffer)
      #expect(taken == UInt8(number))
    }
  }

  @Test func beginsAnewAfterAJump() {
    var buffer = PlayoutBuffer()
    append(5, into: &buffer)
    append(1_000, into: &buffer)
    let held = buffer.count
    #expect(held == 1)
    let ahead = take(&buffer)
    #expect(ahead == UInt8(truncatingIfNeeded: 1_000))
    append(3, into: &buffer)
    let back = take(&buffer)
    #expect(back == 3)
  }

  @Test func countsOnAcrossTheWrap() {
    var buffer = PlayoutBuffer()
    for number in [UInt32.max - 1, .max, 0, 1] { append(number, into: &buffer) }
    let taken = [take(&buffer), take(&buffer), take(&buffer), take(&buffer)]
    #expect(taken == [254, 255, 0, 1])
  }
}
