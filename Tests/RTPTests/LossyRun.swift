import MediaCore
import RTP
import TestSupport

/// A sender and a receiver with virtual time between them: loss, reordering, NACK with RTX, and key frame requests.
struct LossyRun: ~Copyable {
  struct Result {
    var delivered: [Int] = []
    /// Inter frames delivered without their predecessor.
    var brokenChains = 0
    /// Milliseconds between two deliveries.
    var longestFreeze: Int64 = 0
    var keyFrameRequests = 0
  }

  private struct Flight {
    var arrival: Int64
    var octets: [UInt8]
  }

  private var generator: SeededGenerator
  private let lossPercent: UInt64
  private let oneWay: Int64
  private var now: Int64 = 0

  private var packetizer = VP8Packetizer(
    ssrc: SSRC(1), payloadType: 96, firstSequenceNumber: 0xFF00, firstPictureID: 0x7FF0)
  private var history = PacketHistory()
  private var payloads = FramePayloadPool()
  private var rtx = RTXEncapsulation(ssrc: SSRC(2), payloadType: 97, firstSequenceNumber: 9)
  private var assembler = VideoFrameAssembler()
  private var nack = NackGenerator()

  private var toReceiver: [Flight] = []
  private var requests: [(arrival: Int64, number: SequenceNumber)] = []
  private var keyFrameDue: Int64?
  private var lastKeyFrameRequest: Int64 = -1_000
  private var frames: [[UInt8]] = []
  private var result = Result()
  private var lastDelivery: Int64 = 0

  init(seed: UInt64, lossPercent: UInt64, roundTrip: Int64) {
    generator = SeededGenerator(seed: seed)
    self.lossPercent = lossPercent
    oneWay = roundTrip / 2
  }

  mutating func play(frameCount: Int) throws -> Result {
    let end = Int64(frameCount * 33)
    while now < end + 1_000 {
      if now < end, now % 33 == 0 { try sendFrame() }
      try answerRequests()
      try receive()
      now += 1
    }
    return result
  }

  private mutating func sendFrame() throws {
    let isWanted = keyFrameDue.map { $0 <= now } ?? false
    let isKeyFrame = frames.isEmpty || isWanted
    if isWanted { keyFrameDue = nil }
    let byteCount = isKeyFrame ? 12_000 : 1_500 + Int(generator.next() % 3_000)
    let frame = makeVP8Frame(
      isKeyFrame: isKeyFrame, byteCount: byteCount, seed: UInt8(truncatingIfNeeded: frames.count))
    frames.append(frame)
    let packets = packetizer.packetize(.init(timestamp: UInt32(frames.count * 2_970)), byteCount: byteCount)
    history.append(
      packets, of: payloads.copy(frame.span.bytes), firstWaiting: packets.firstSequenceNumber)
    for packet in try packets.octets(of: frame) { transmit(packet) }
  }

  private mutating func transmit(_ octets: [UInt8]) {
    guard generator.next() % 100 >= lossPercent else { return }
    // One packet in 20 is overtaken by others.
    let delay = generator.next() % 20 == 0 ? Int64(generator.next() % 15) : 0
    toReceiver.append(Flight(arrival: now + oneWay + delay, octets: octets))
  }

  private mutating func answerRequests() throws {
    let due = requests.filter { $0.arrival <= now }
    requests.removeAll { $0.arrival <= now }
    for request in due {
      let packet = try written {
        try history.retransmit(
          Retransmission(request.number, minimumInterval: .milliseconds(10), now: .milliseconds(now)), over: &rtx,
          extensions: RTPHeaderExtensionBlock(),
          into: &$0)
      }
      if let packet { transmit(packet) }
    }
  }

  private mutating func receive() throws {
    let due = toReceiver.filter { $0.arrival <= now }
    toReceiver.removeAll { $0.arrival <= now }
    for flight in due { try insert(flight.octets) }
    deliver()
    askForMissing()
  }

  private mutating func insert(_ octets: [UInt8]) throws {
    var packet = octets
    let outer = try header(of: packet)
    if outer.ssrc == SSRC(2) {
      let original = try written {
        try RTXDecapsulation.unwrap(
          packet.span.bytes, header: outer, originalSSRC: SSRC(1), originalPayloadType: 96, into: &$0)
      }
      guard let original else { return }
      packet = original
    }
    let inner = try header(of: packet)
    nack.receive(inner.sequenceNumber, now: .milliseconds(now))
    assembler.insert(inner, packet: packet.span.bytes, now: .milliseconds(now))
  }

  private mutating func deliver() {
    while true {
      var frame: VideoFrame?
      let octets = written(20_000) { buffer -> Int? in
        frame = assembler.popFirst(now: .milliseconds(now), into: &buffer)
        return frame?.byteCount
      }
      guard let frame, let octets else { return }
      let number = Int(frame.timestamp) / 2_970 - 1
      let follows = result.delivered.last.map { $0 + 1 == number } ?? false
      if octets != frames[number] || !(frame.isKeyFrame || follows) { result.brokenChains += 1 }
      result.delivered.append(number)
      if frame.isKeyFrame { nack.forget(before: frame.firstSequenceNumber) }
      if lastDelivery > 0 { result.longestFreeze = max(result.longestFreeze, now - lastDelivery) }
      lastDelivery = now
    }
  }

  private mutating func askForMissing() {
    var numbers = [SequenceNumber](repeating: 0, count: 64)
    var span = numbers.mutableSpan
    let count = nack.takeRequests(roundTrip: .milliseconds(2 * oneWay), now: .milliseconds(now), into: &span)
    if count > 0, generator.next() % 100 >= lossPercent {
      requests += numbers[..<count].map { (now + oneWay, $0) }
    }
    let isLost = nack.takeKeyFrameRequest()
    guard assembler.needsKeyFrame || isLost, now - lastKeyFrameRequest >= max(100, 2 * oneWay) else { return }
    lastKeyFrameRequest = now
    result.keyFrameRequests += 1
    if generator.next() % 100 >= lossPercent { keyFrameDue = keyFrameDue ?? now + oneWay }
  }
}
