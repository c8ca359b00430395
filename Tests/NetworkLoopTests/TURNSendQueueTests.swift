import Testing

@testable import NetworkLoop

@Suite struct TURNSendQueueTests {
  private func message(_ first: UInt8, _ count: Int) -> [UInt8] { [first] + [UInt8](repeating: 7, count: count - 1) }

  private func admits(_ queue: TURNSendQueue, _ message: [UInt8]) -> Bool { queue.admits(message.span.bytes) }

  @Test func octetsLeaveInTheirOrderInAnyPieces() {
    var queue = TURNSendQueue()
    var sent: [UInt8] = []
    for round in 0..<100 {
      let octets = (0..<37).map { UInt8(truncatingIfNeeded: round * 37 + $0) }
      octets.withUnsafeBytes { queue.append($0) }
      queue.take { waiting in
        let count = min(waiting.count, round % 3 == 0 ? 50 : 20)
        sent += waiting.prefix(count)
        return count
      }
    }
    queue.take { waiting in
      sent += waiting
      return waiting.count
    }
    #expect(sent == (0..<3_700).map { UInt8(truncatingIfNeeded: $0) })
    #expect(queue.isEmpty)
  }

  @Test func mediaIsLeftOutBeforeWhatKeepsTheAllocation() {
    var queue = TURNSendQueue()
    let media = message(0x40, 1_000)
    let request = message(0x00, 100)
    while admits(queue, media) { media.withUnsafeBytes { queue.append($0) } }
    #expect((TURNSendQueue.mediaLimit - 1_000..<TURNSendQueue.mediaLimit + 1).contains(queue.count))
    #expect(admits(queue, request))
    while admits(queue, request) { request.withUnsafeBytes { queue.append($0) } }
    #expect(queue.count <= TURNSendQueue.limit)
    #expect(!admits(queue, media))
  }
}
