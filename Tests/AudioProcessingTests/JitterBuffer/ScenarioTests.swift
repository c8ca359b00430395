import AudioProcessing
import MediaCore
import Testing

/// Simulated calls of a minute: delay and concealment stay within what the network makes unavoidable.
@Suite struct ScenarioTests {
  /// Delay of 95 % in ms, concealed share.
  @Test(arguments: [
    (Network.constant, 30.0, 0.001), (.even20, 40, 0.001), (.gamma, 80, 0.01), (.paretoBursts, 300, 0.04),
    (.loss2, 45, 0.01), (.loss10, 50, 0.04), (.lossBursts, 45, 0.045), (.delaySteps, 100, 0.02), (.stall, 310, 0.03),
  ])
  func boundsDelayAndConcealment(network: Network, delay: Double, concealed: Double) {
    let heard = play(network.trace(packets: 3_000, seed: 7))
    #expect(heard.delay(quantile: 0.95) <= delay)
    #expect(heard.concealedShare <= concealed)
  }

  /// One stall says nothing of the next seconds: the delay is back within a second and stays.
  @Test func oneStallIsForgotten() {
    let trace = Network.constant.trace(packets: 1_200).map { packet in
      var packet = packet
      if 700..<715 ~= packet.number { packet.arrival = packet.arrival + .milliseconds(Int64(714 - packet.number) * 20) }
      return packet
    }
    let heard = play(trace, keepsSamples: false)
    #expect(heard.delays[1_425..<1_480].max()! > 150)
    #expect(heard.delays[1_500...].max()! < 30)
    #expect(heard.statistics.concealedSamples <= 300 * 48)
    #expect(heard.statistics.latePackets + heard.statistics.droppedPackets == 0)
  }

  /// A way that becomes longer for good is no jitter: five seconds after, the delay on it is as before.
  @Test func aLongerWayIsForgotten() {
    let trace = Network.constant.trace(packets: 1_200).map { packet in
      var packet = packet
      if packet.number >= 500 { packet.arrival = packet.arrival + .milliseconds(200) }
      return packet
    }
    let heard = play(trace, keepsSamples: false)
    #expect(heard.delays[1_500...].max()! < 30)
    #expect(heard.statistics.concealedSamples <= 200 * 48)
  }

  /// Thirteen minutes in which the clocks drift: by pitch periods alone the delay stays.
  @Test(arguments: [-100.0, 500]) func followsDrift(partsPerMillion: Double) {
    let heard = play(
      Network.constant.trace(packets: 40_000, partsPerMillion: partsPerMillion), keepsSamples: false)
    #expect(heard.delay(quantile: 0.99) < 45)
    #expect(heard.concealedShare < 0.000_1)
    #expect(heard.statistics.latePackets == 0)
  }
}
