import MediaCore
import RTP
import Testing

@Suite struct AudioReorderBufferTests {
  private func packet(_ number: UInt16) -> [UInt8] {
    [
      0x80, 111, UInt8(number >> 8), UInt8(truncatingIfNeeded: number), 0, 0, 0, 0, 0, 0, 0, 1,
      UInt8(truncatingIfNeeded: number),
    ]
  }

  @discardableResult
  private func insert(_ number: UInt16, into buffer: inout AudioReorderBuffer, at time: Int64 = 0) throws -> Bool {
    let octets = packet(number)
    return buffer.insert(try header(of: octets), packet: octets.span.bytes, now: .milliseconds(time)) == .stored
  }

  private func popAll(_ buffer: inout AudioReorderBuffer, at time: Int64 = 0) throws -> [AudioPacket] {
    var packets: [AudioPacket] = []
    while true {
      var packet: AudioPacket?
      let octets = try written { bytes -> Int? in
        packet = try buffer.popFirst(now: .milliseconds(time), into: &bytes)
        return packet?.byteCount
      }
      guard let packet else { return packets }
      #expect(octets == [UInt8(truncatingIfNeeded: packet.sequenceNumber.rawValue)])
      packets.append(packet)
    }
  }

  @Test func inOrderPacketsLeaveAtOnce() throws {
    var buffer = AudioReorderBuffer()
    for number in [0xFFFE, 0xFFFF, 0, 1] as [UInt16] {
      try insert(number, into: &buffer)
      let popped = try popAll(&buffer)
      #expect(popped.map(\.sequenceNumber.rawValue) == [number])
      #expect(popped.map(\.lostBefore) == [0])
    }
    let deadline = buffer.deadline
    #expect(deadline == nil)
  }

  @Test func overtakenPacketsAreWaitedFor() throws {
    var buffer = AudioReorderBuffer()
    try insert(1, into: &buffer, at: 0)
    _ = try popAll(&buffer)
    try insert(4, into: &buffer, at: 20)
    try insert(3, into: &buffer, at: 30)
    let waiting = try popAll(&buffer, at: 30)
    let deadline = buffer.deadline
    #expect(waiting.isEmpty)
    #expect(deadline == .milliseconds(45))
    try insert(2, into: &buffer, at: 44)
    let popped = try popAll(&buffer, at: 44)
    #expect(popped.map(\.sequenceNumber) == [2, 3, 4])
  }

  @Test func lostPacketsAreCountedAfterTheWait() throws {
    var buffer = AudioReorderBuffer()
    try insert(1, into: &buffer, at: 0)
    try insert(4, into: &buffer, at: 20)
    let first = try popAll(&buffer, at: 44)
    let second = try popAll(&buffer, at: 45)
    #expect(first.map(\.sequenceNumber) == [1])
    #expect(second.map(\.sequenceNumber) == [4])
    #expect(second.map(\.lostBefore) == [2])
    let isLateTaken = try insert(3, into: &buffer, at: 60)
    let lost = buffer.lostCount
    #expect(!isLateTaken)
    #expect(lost == 2)
  }

  /// One packet that came too late is enough to wait longer, and order for a while to wait briefly again.
  @Test func theWaitFollowsTheReordering() throws {
    var buffer = AudioReorderBuffer(maximumWait: .milliseconds(80))
    try insert(1, into: &buffer, at: 0)
    try insert(3, into: &buffer, at: 20)
    _ = try popAll(&buffer, at: 45)
    try insert(2, into: &buffer, at: 60)
    let longer = buffer.wait
    #expect(longer == .milliseconds(50))
    try insert(5, into: &buffer, at: 80)
    let waiting = try popAll(&buffer, at: 129)
    #expect(waiting.isEmpty)
    try insert(4, into: &buffer, at: 180)
    let longest = buffer.wait
    #expect(longest == .milliseconds(80))
    _ = try popAll(&buffer, at: 180)
    for number in 6...3_000 as ClosedRange<UInt16> {
      try insert(number, into: &buffer, at: 200 + Int64(number) * 20)
      _ = try popAll(&buffer, at: 200 + Int64(number) * 20)
    }
    let calm = buffer.wait
    #expect(calm == .milliseconds(25))
  }

  @Test func duplicatesAreRefused() throws {
    var buffer = AudioReorderBuffer()
    try insert(1, into: &buffer)
    try insert(3, into: &buffer)
    let isTaken = try insert(3, into: &buffer)
    #expect(!isTaken)
  }

  @Test func aFullBufferGivesUpTheOldest() throws {
    var buffer = AudioReorderBuffer(slotCount: 8)
    try insert(1, into: &buffer)
    _ = try popAll(&buffer)
    for number in 3...12 as ClosedRange<UInt16> { try insert(number, into: &buffer) }
    let popped = try popAll(&buffer)
    #expect(popped.map(\.sequenceNumber.rawValue) == Array(5...12))
    #expect(popped.first?.lostBefore == 3)
  }

  @Test func aRestartedStreamIsFollowed() throws {
    var buffer = AudioReorderBuffer()
    try insert(1, into: &buffer)
    _ = try popAll(&buffer)
    try insert(30_000, into: &buffer)
    try insert(30_001, into: &buffer)
    try insert(30_002, into: &buffer)
    let popped = try popAll(&buffer)
    #expect(popped.map(\.sequenceNumber) == [30_001, 30_002])
    #expect(popped.map(\.lostBefore) == [0, 0])
  }
}
