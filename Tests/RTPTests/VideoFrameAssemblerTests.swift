import MediaCore
import RTP
import Testing

/// A stream's packets by frame, and an assembler to feed them to.
private struct Bench: ~Copyable {
  var assembler = VideoFrameAssembler(timeout: .milliseconds(100), maximumWait: .milliseconds(200), slotCount: 64)
  var packetizer: VP8Packetizer
  var frames: [[UInt8]] = []

  init(firstNumber: SequenceNumber = 0xFFF0, hasLayers: Bool = false) {
    packetizer = VP8Packetizer(
      ssrc: SSRC(1), payloadType: 96, maximumPayloadSize: 100, firstSequenceNumber: firstNumber,
      firstPictureID: 0x7FFE, hasTemporalLayers: hasLayers)
  }

  mutating func makeFrame(isKeyFrame: Bool = false, byteCount: Int = 250, layer: UInt8 = 0) throws -> [[UInt8]] {
    let frame = makeVP8Frame(
      isKeyFrame: isKeyFrame, byteCount: byteCount, seed: UInt8(truncatingIfNeeded: frames.count))
    frames.append(frame)
    return try packetizer.packets(frame, .init(timestamp: UInt32(frames.count * 3_000), temporalLayer: layer))
  }

  @discardableResult
  mutating func insert(_ packet: [UInt8], at time: Int64 = 0) throws -> VideoPacketOutcome {
    assembler.insert(try header(of: packet), packet: packet.span.bytes, now: .milliseconds(time))
  }

  mutating func insert(_ packets: [[UInt8]], at time: Int64 = 0) throws {
    for packet in packets { try insert(packet, at: time) }
  }

  /// Pops all that is ready: the numbers of the frames made, after comparing their octets.
  mutating func popAll(at time: Int64 = 0) throws -> [Int] {
    var numbers: [Int] = []
    while let (frame, octets) = pop(at: time) {
      let number = Int(frame.timestamp) / 3_000 - 1
      #expect(octets == frames[number])
      #expect(frame.width == 640 && frame.height == 480)
      numbers.append(number)
    }
    return numbers
  }

  mutating func pop(at time: Int64, space: Int = 10_000) -> (VideoFrame, [UInt8])? {
    var frame: VideoFrame?
    let octets = written(space) { buffer -> Int? in
      frame = assembler.popFirst(now: .milliseconds(time), into: &buffer)
      return frame?.byteCount
    }
    guard let frame, let octets else { return nil }
    return (frame, octets)
  }
}

@Suite struct VideoFrameAssemblerTests {
  @Test func framesComeOutInOrderAtOnce() throws {
    var bench = Bench()
    for number in 0..<40 {
      try bench.insert(bench.makeFrame(isKeyFrame: number == 0))
      let popped = try bench.popAll()
      #expect(popped == [number])
    }
    let (needsKeyFrame, deadline, losses) = (
      bench.assembler.needsKeyFrame, bench.assembler.deadline, bench.assembler.lossCount
    )
    #expect(!needsKeyFrame)
    #expect(deadline == nil)
    #expect(losses == 0)
  }

  @Test func theFirstPacketMayComeSecond() throws {
    var bench = Bench()
    let key = try bench.makeFrame(isKeyFrame: true)
    try bench.insert(key[1])
    try bench.insert(key[0])
    try bench.insert(key[2])
    let popped = try bench.popAll()
    #expect(popped == [0])
  }

  @Test func aFrameWaitsForItsRetransmission() throws {
    var bench = Bench()
    try bench.insert(bench.makeFrame(isKeyFrame: true), at: 0)
    let damaged = try bench.makeFrame()
    try bench.insert([damaged[0], damaged[2]], at: 33)
    try bench.insert(bench.makeFrame(), at: 66)
    let before = try bench.popAll(at: 132)
    let (firstDeadline, trusts) = (bench.assembler.deadline, !bench.assembler.needsKeyFrame)
    _ = try bench.popAll(at: 133)
    let (secondDeadline, doubts) = (bench.assembler.deadline, bench.assembler.needsKeyFrame)
    try bench.insert(damaged[1], at: 232)
    let after = try bench.popAll(at: 232)
    let outcome = try bench.insert(damaged[1], at: 232)
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(before == [0])
    #expect(trusts)
    #expect(firstDeadline == .milliseconds(133))
    #expect(doubts)
    #expect(secondDeadline == .milliseconds(233))
    #expect(after == [1, 2])
    #expect(outcome == .late)
    #expect(!needsKeyFrame)
  }

  @Test func aLostFrameNeedsAKeyFrame() throws {
    var bench = Bench()
    try bench.insert(bench.makeFrame(isKeyFrame: true), at: 0)
    let damaged = try bench.makeFrame()
    try bench.insert([damaged[0], damaged[2]], at: 33)
    try bench.insert(bench.makeFrame(), at: 66)
    let popped = try bench.popAll(at: 233)
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(popped == [0])
    #expect(needsKeyFrame)
    try bench.insert(bench.makeFrame(), at: 240)
    let waiting = try bench.popAll(at: 240)
    #expect(waiting.isEmpty)
    try bench.insert(bench.makeFrame(isKeyFrame: true), at: 250)
    let key = bench.pop(at: 250)?.0
    #expect(key?.isKeyFrame == true)
    #expect(key?.followsLoss == true)
    try bench.insert(bench.makeFrame(), at: 260)
    let next = bench.pop(at: 260)?.0
    #expect(next?.followsLoss == false)
    let stillNeeds = bench.assembler.needsKeyFrame
    #expect(!stillNeeds)
  }

  @Test func aStreamJoinedInTheMiddleNeedsAKeyFrame() throws {
    var bench = Bench()
    _ = try bench.makeFrame(isKeyFrame: true)
    try bench.insert(bench.makeFrame())
    let popped = try bench.popAll()
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(popped.isEmpty)
    #expect(needsKeyFrame)
  }

  @Test func aFirstKeyFrameThatStaysIncompleteIsAskedForAnew() throws {
    var bench = Bench()
    let key = try bench.makeFrame(isKeyFrame: true)
    try bench.insert([key[0], key[2]], at: 0)
    _ = try bench.popAll(at: 99)
    let (early, deadline) = (bench.assembler.needsKeyFrame, bench.assembler.deadline)
    _ = try bench.popAll(at: 100)
    let late = bench.assembler.needsKeyFrame
    #expect(!early)
    #expect(deadline == .milliseconds(100))
    #expect(late)
  }

  @Test func rfc7741LostUpperLayersAreSkippedAlone() throws {
    var bench = Bench(hasLayers: true)
    try bench.insert(bench.makeFrame(isKeyFrame: true, layer: 0), at: 0)
    _ = try bench.makeFrame(layer: 2)
    try bench.insert(bench.makeFrame(layer: 1), at: 20)
    try bench.insert(bench.makeFrame(layer: 0), at: 40)
    let early = try bench.popAll(at: 119)
    let late = try bench.popAll(at: 120)
    let (needsKeyFrame, losses) = (bench.assembler.needsKeyFrame, bench.assembler.lossCount)
    #expect(early == [0])
    #expect(late == [3])
    #expect(!needsKeyFrame)
    #expect(losses == 1)
  }

  @Test func rfc7741ALostBaseLayerFrameNeedsAKeyFrame() throws {
    var bench = Bench(hasLayers: true)
    try bench.insert(bench.makeFrame(isKeyFrame: true, layer: 0), at: 0)
    _ = try bench.makeFrame(layer: 0)
    try bench.insert(bench.makeFrame(layer: 0), at: 40)
    let popped = try bench.popAll(at: 240)
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(popped == [0])
    #expect(needsKeyFrame)
  }

  @Test func rfc7741APictureIDThatLeapsBreaksTheChain() throws {
    var bench = Bench()
    try bench.insert(bench.makeFrame(isKeyFrame: true))
    _ = try bench.makeFrame(byteCount: 50)
    var leap = try bench.makeFrame(byteCount: 50)[0]
    // Takes the place of the frame left out: without a gap in sequence numbers only the picture id tells.
    leap[3] &-= 1
    try bench.insert(leap)
    let popped = try bench.popAll()
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(popped == [0])
    #expect(needsKeyFrame)
  }

  @Test func paddingPacketsTakeNumbersOnly() throws {
    var bench = Bench(firstNumber: 10)
    try bench.insert(bench.makeFrame(isKeyFrame: true, byteCount: 50))
    var padding = try bench.makeFrame(byteCount: 50)[0]
    padding = Array(padding[..<12]) + [0, 0, 0, 4]
    padding[0] |= 0x20
    bench.frames.removeLast()
    try bench.insert(padding)
    // The frame that became padding took picture id 0x7FFF; the one behind has to continue the key frame's 0x7FFE.
    var packet = try bench.makeFrame(byteCount: 50)[0]
    packet.replaceSubrange(14..<16, with: [0xFF, 0xFF])
    try bench.insert(packet)
    let popped = try bench.popAll()
    #expect(popped == [0, 1])
  }

  @Test func aFrameTooLongForTheBufferIsALoss() throws {
    var bench = Bench()
    try bench.insert(bench.makeFrame(isKeyFrame: true, byteCount: 500))
    let popped = bench.pop(at: 0, space: 499)
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(popped?.1 == nil)
    #expect(needsKeyFrame)
    try bench.insert(bench.makeFrame(isKeyFrame: true, byteCount: 400))
    let next = bench.pop(at: 0, space: 499)
    #expect(next?.1.count == 400)
  }

  @Test func tooManyWaitingPacketsAreALoss() throws {
    var bench = Bench()
    try bench.insert(bench.makeFrame(isKeyFrame: true))
    _ = try bench.popAll()
    _ = try bench.makeFrame(byteCount: 50)
    for _ in 0..<64 { try bench.insert(bench.makeFrame(byteCount: 50)) }
    let needsKeyFrame = bench.assembler.needsKeyFrame
    #expect(needsKeyFrame)
    try bench.insert(bench.makeFrame(isKeyFrame: true))
    let popped = try bench.popAll()
    #expect(popped == [66])
  }

  @Test func aRestartedStreamGoesOnAtItsKeyFrame() throws {
    var bench = Bench(firstNumber: 100)
    try bench.insert(bench.makeFrame(isKeyFrame: true))
    _ = try bench.popAll()
    bench.packetizer = VP8Packetizer(
      ssrc: SSRC(1), payloadType: 96, maximumPayloadSize: 100, firstSequenceNumber: 40_000, firstPictureID: 7)
    let outcome = try bench.insert(bench.makeFrame(isKeyFrame: true)[0])
    #expect(outcome == .outOfRange)
    try bench.insert(bench.makeFrame(isKeyFrame: true))
    try bench.insert(bench.makeFrame(isKeyFrame: true))
    let popped = try bench.popAll()
    #expect(popped == [3])
  }

  @Test func malformedPayloadsAreRefused() throws {
    var bench = Bench()
    var packet = try bench.makeFrame(isKeyFrame: true, byteCount: 50)[0]
    packet.removeLast(packet.count - 14)
    let short = try bench.insert(packet)
    let huge = try bench.insert(Array(packet[..<12]) + [0x10] + [UInt8](repeating: 0, count: 1_600))
    #expect(short == .malformed)
    #expect(huge == .malformed)
  }
}

extension VideoFrameAssemblerTests {
  /// Sends 600 frames over a lossy, reordering path with NACK and RTX: what comes out must be whole, in order, and
  /// decodable, that is each inter frame right behind its predecessor.
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func seededLossAndReorderingWithRetransmission(seed: UInt64) throws {
    var run = LossyRun(seed: seed, lossPercent: 5, roundTrip: 100)
    let result = try run.play(frameCount: 600)
    #expect(result.delivered.count > 570, "delivered \(result.delivered.count)")
    #expect(result.longestFreeze <= 500, "froze for \(result.longestFreeze) ms")
    #expect(result.brokenChains == 0)
    #expect(result.delivered == result.delivered.sorted())
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func seededHeavyLossRecoversByKeyFrames(seed: UInt64) throws {
    var run = LossyRun(seed: seed, lossPercent: 40, roundTrip: 300)
    let result = try run.play(frameCount: 600)
    #expect(result.delivered.count > 20, "delivered \(result.delivered.count)")
    #expect(result.brokenChains == 0)
    #expect(result.keyFrameRequests > 0)
    #expect(result.delivered == result.delivered.sorted())
  }
}
