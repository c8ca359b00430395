import JitterBuffer
import MediaCore
import Testing

/// Simulated calls of a minute: delay and concealment stay within what the network makes unavoidable.
@Suite struct ScenarioTests {
  /// Delay of 95 % in ms, concealed share.
  @Test(arguments: [
    (Network.constant, 35.0, 0.001), (.even20, 60, 0.001), (.gamma, 110, 0.02), (.paretoBursts, 330, 0.06),
    (.loss2, 60, 0.01), (.loss10, 60, 0.04), (.lossBursts, 60, 0.045), (.delaySteps, 150, 0.02), (.stall, 330, 0.03),
  ])
  func boundsDelayAndConcealment(network: Network, delay: Double, concealed: Double) {
    let heard = play(network.trace(packets: 3_000, seed: 7))
    #expect(heard.delay(quantile: 0.95) <= delay)
    #expect(heard.concealedShare <= concealed)
  }

  /// Twenty minutes in which the clocks drift: by pitch periods alone the delay stays.
  @Test(arguments: [-100.0, 100, 500]) func followsDrift(partsPerMillion: Double) {
    let heard = play(
      Network.constant.trace(packets: 60_000, partsPerMillion: partsPerMillion), keepsSamples: false)
    #expect(heard.delay(quantile: 0.99) < 45)
    #expect(heard.concealedShare < 0.000_1)
    #expect(heard.statistics.latePackets == 0)
  }
}
