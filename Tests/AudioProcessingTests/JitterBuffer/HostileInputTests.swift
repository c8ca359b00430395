import AudioProcessing
import MediaCore
import Testing

/// What senders and networks should not do: nothing traps, and what follows is played again.
@Suite struct HostileInputTests {
  @Test func payloadsThatAreEmptyOrTooLongAreDropped() {
    var line = Line()
    line.insert(0, 0, [])
    line.insert(0, 0, [UInt8](repeating: 1, count: 1_501))
    #expect(line.buffer.statistics.droppedPackets == 2)
    line.render()
    #expect(line.samples.allSatisfy { $0 == 0 })
  }

  @Test func duplicatesPlayOnce() {
    var line = Line()
    for _ in 0..<100 {
      line.insert(line.timestamp, line.sequence, [10, 8])
      line.send()
      line.render(blocks: 2)
    }
    let statistics = line.buffer.statistics
    #expect(statistics.latePackets == 100)
    #expect(statistics.concealedSamples == 0)
    #expect(line.decoder.decoded.count >= 98)
  }

  @Test func packetsInReversePairsPlayInOrder() {
    var line = Line(JitterBufferSettings(leastDelay: .milliseconds(60), firstDelay: .milliseconds(60)))
    for pair in 0..<100 as Range<UInt8> {
      let (timestamp, sequence) = (line.timestamp, line.sequence)
      line.insert(timestamp &+ 960, sequence &+ 1, [2 * pair + 1, 8])
      line.insert(timestamp, sequence, [2 * pair, 8])
      line.timestamp &+= 1_920
      line.sequence &+= 2
      line.render(blocks: 4)
    }
    #expect(line.decoder.decoded == Array(0..<UInt8(line.decoder.decoded.count)))
    #expect(line.buffer.statistics.concealedSamples == 0)
  }

  /// One packet is lost and one silence left out exactly where the numbers wrap.
  @Test func numbersWrap() {
    var line = Line()
    line.timestamp = 0 &- 100 * 960
    line.sequence = 0 &- 100
    line.run(packets: 99)
    line.lose()
    line.render(blocks: 2)
    line.run(packets: 200)
    let statistics = line.buffer.statistics
    #expect(statistics.restarts == 0)
    #expect(statistics.latePackets + statistics.droppedPackets == 0)
    #expect(statistics.concealedSamples == 960)
  }

  @Test(arguments: [25_000 as UInt32, 500_000, 0x8000_0000, 0xFFF0_0000]) func onePacketThatLeapsIsLeftOut(leap: UInt32)
  {
    var line = Line()
    line.run(packets: 100)
    line.insert(line.timestamp &+ leap, line.sequence &+ 7, [99, 8])
    line.run(packets: 100)
    #expect(line.buffer.statistics.droppedPackets == 1)
    #expect(line.buffer.statistics.restarts == 0)
    #expect(line.buffer.statistics.concealedSamples == 0)
    #expect(!line.decoder.decoded.contains(99))
  }

  /// A packet that claims to be 400 ms early cannot be told from one behind a loss; the sound is back after them.
  @Test func onePacketAheadOfItsTimeDoesNotLast() {
    var line = Line()
    line.run(packets: 100)
    line.insert(line.timestamp &+ 20_000, line.sequence &+ 7, [99, 8])
    line.run(packets: 30)
    let before = line.decoder.decoded.count
    line.run(packets: 100)
    #expect(line.decoder.decoded.count - before >= 75)
    line.run(packets: 1_500)
    #expect(line.buffer.statistics.currentDelay < .milliseconds(60))
  }

  /// Another SSRC: both numbers begin anew. The old sound fades, the new one begins within 100 ms.
  @Test func senderBeginsAnew() {
    var line = Line()
    line.run(packets: 100, level: 100)
    line.timestamp &+= 0x5555_5555
    line.sequence = 9
    line.forgetSamples()
    line.run(packets: 7, level: 50)
    #expect(line.samples.suffix(960).allSatisfy { $0 == 5_000 })
    line.run(packets: 100, level: 50)
    #expect(line.buffer.statistics.restarts == 1)
    #expect(line.buffer.statistics.droppedPackets == 1)
    let steps = zip(line.samples, line.samples.dropFirst()).map { abs(Int($0) - Int($1)) }
    #expect(steps.max()! < 100)
  }

  @Test func senderThatLeapsEachTimeIsNeverWaitedForLong() {
    var line = Line()
    for _ in 0..<1_000 {
      line.timestamp &+= 0x2345_6789
      line.run(packets: 1)
    }
    line.run(packets: 100)
    let before = line.decoder.decoded.count
    line.run(packets: 50)
    #expect(line.decoder.decoded.count - before == 50)
  }

  /// Silence that was not sent is neither loss nor jitter.
  @Test func discontinuousTransmission() {
    var line = Line()
    for _ in 0..<50 {
      line.run(packets: 50)
      line.timestamp &+= 400 * 48
      line.render(blocks: 40)
    }
    line.run(packets: 1)
    let statistics = line.buffer.statistics
    #expect(statistics.silenceSamples > 49 * 380 * 48)
    #expect(statistics.concealedSamples < 60 * 48)
    #expect(statistics.latePackets + statistics.droppedPackets == 0)
    #expect(statistics.currentDelay < .milliseconds(60))
  }

  @Test func silenceOfMinutesEndsInSilence() {
    var line = Line()
    line.run(packets: 100)
    line.render(blocks: 12_000)
    #expect(line.samples.suffix(480).allSatisfy { $0 == 0 })
    #expect(line.decoder.concealed < 2 * 48_000)
    line.timestamp &+= 120 * 48_000
    line.forgetSamples()
    line.run(packets: 5)
    #expect(line.samples.suffix(960).allSatisfy { $0 == 1_000 })
    #expect(line.buffer.statistics.restarts == 0)
  }

  /// What the network held back before playing began is not caught up with.
  @Test(arguments: [5, 50, 200]) func backlogOnConnecting(packets: Int) {
    var line = Line()
    for number in 0..<packets { line.send(level: UInt8(number % 100)) }
    line.render()
    line.run(packets: 150)
    #expect(line.buffer.statistics.currentDelay < .milliseconds(80))
    #expect(line.buffer.statistics.concealedSamples <= 960)
    #expect(line.decoder.decoded.count >= 148)
  }

  /// A stall of a second in a call: it is silent meanwhile, and the delay is back soon after.
  @Test func backlogInACall() {
    var line = Line()
    line.run(packets: 200)
    line.render(blocks: 100)
    for _ in 0..<50 { line.send() }
    line.render()
    #expect(line.buffer.statistics.currentDelay < .milliseconds(700))
    line.run(packets: 200)
    #expect(line.buffer.statistics.currentDelay < .milliseconds(600))
    line.run(packets: 3_000)
    #expect(line.buffer.statistics.currentDelay < .milliseconds(100))
  }

  @Test func moreThanFitsDropsTheOldest() {
    var line = Line()
    for _ in 0..<1_000 { line.send(length: 1) }
    line.render(blocks: 100)
    #expect(line.buffer.statistics.droppedPackets >= 900)
    #expect(line.decoder.decoded.count <= 64)
  }

  /// Lengths that change from packet to packet join without concealment.
  @Test func packetsOfAllLengths() {
    var line = Line(JitterBufferSettings(leastDelay: .milliseconds(150), firstDelay: .milliseconds(150)))
    let lengths: [UInt8] = [1, 2, 4, 8, 16, 24, 32, 48]
    var due = 0
    for packet in 0..<400 {
      line.send(length: lengths[packet % 8])
      due += Int(lengths[packet % 8])
      line.render(blocks: due / 4)
      due %= 4
    }
    #expect(line.buffer.statistics.concealedSamples == 0)
    #expect(line.samples.suffix(48_000).allSatisfy { $0 == 1_000 })
  }

  /// Of packets shorter than a block each fourth is lost: concealed blocks count for several.
  @Test(arguments: [1, 2, 4] as [UInt8]) func lossOfShortPackets(length: UInt8) {
    var line = Line()
    var due = 0
    for packet in 0..<4_000 {
      if packet % 4 == 3 {
        line.timestamp &+= 120 * UInt32(length)
        line.sequence &+= 1
      } else {
        line.send(length: length)
      }
      due += Int(length)
      line.render(blocks: due / 4)
      due %= 4
    }
    #expect(line.samples.dropFirst(9_600).allSatisfy { $0 == 1_000 })
    #expect(line.buffer.statistics.currentDelay < .milliseconds(80))
    #expect(line.decoder.decoded.count >= 2_900)
  }

  @Test(arguments: [0, -4, .min, .max]) func decoderThatFails(result: Int) {
    var line = Line()
    line.run(packets: 50)
    line.decoder.result = result
    line.run(packets: 100)
    line.decoder.result = nil
    line.run(packets: 50)
    let before = line.decoder.decoded.count
    line.run(packets: 50)
    #expect(line.decoder.decoded.count - before >= 49)
  }

  /// Channels stay apart while sound is stretched, concealed and begun anew.
  @Test func stereo() {
    var line = Line(JitterBufferSettings(channels: 2))
    for round in 0..<20 {
      line.run(packets: 50)
      line.lose()
      if round % 5 == 4 { line.render(blocks: 15) }
      if round % 7 == 6 { line.timestamp &+= 0x3333_3333 }
    }
    #expect(line.buffer.statistics.acceleratedSamples > 0)
    for index in stride(from: 0, to: line.samples.count, by: 2) where line.samples[index] != -line.samples[index + 1] {
      Issue.record("channels differ at \(index)")
      break
    }
  }

  /// Instants at the ends of the clock, and a clock that runs backwards.
  @Test func impossibleTimes() {
    var line = Line()
    for nanoseconds in [Int64.min, .max, 0, -1, .max - 1, .min + 1] {
      for _ in 0..<5 {
        line.now = MonotonicInstant(nanoseconds: nanoseconds)
        line.send()
        line.render()
      }
    }
    line.now = MonotonicInstant(nanoseconds: 3_600_000_000_000)
    line.timestamp = 77
    line.run(packets: 300)
    for _ in 0..<20 {
      line.now = line.now - .milliseconds(15)
      line.run(packets: 1)
    }
    line.run(packets: 200)
    let before = line.decoder.decoded.count
    line.run(packets: 50)
    #expect(line.decoder.decoded.count - before >= 45)
  }
}
