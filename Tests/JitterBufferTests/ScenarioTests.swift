import JitterBuffer
import MediaCore
import Testing

/// Simulated calls of a minute: delay, concealment and clicks stay within what the network makes unavoidable.
@Suite struct ScenarioTests {
  /// Delay of 95 % in ms, concealed share, clicks a minute. Those of the losses are bounds on what was measured (35, 192
  /// and 12), not on what would be good: most changes between concealed and decoded sound at 10 % loss still click.
  @Test(arguments: [
    (Network.constant, 35.0, 0.001, 0), (.gamma, 110, 0.02, 0), (.paretoBursts, 330, 0.06, 5),
    (.loss2, 60, 0.03, 40), (.loss10, 60, 0.12, 210), (.lossBursts, 60, 0.045, 15), (.delaySteps, 150, 0.02, 3),
  ])
  func boundsDelayAndLoss(network: Network, delay: Double, concealed: Double, clicks: Int) {
    let clean = play(Network.constant.trace(packets: 1_000))
    let heard = play(network.trace(packets: 3_000, seed: 7))
    let counted = heard.clicks(above: clean.sharpestBend * 5 / 4)
    #expect(heard.delay(quantile: 0.95) <= delay)
    #expect(heard.concealedShare <= concealed)
    #expect(counted <= clicks)
  }

  /// An hour in which the clocks drift: by pitch periods alone the delay stays.
  @Test(arguments: [-100.0, 100, 500]) func followsDrift(partsPerMillion: Double) {
    let heard = play(
      Network.constant.trace(packets: partsPerMillion == 500 ? 30_000 : 180_000, partsPerMillion: partsPerMillion),
      keepsSamples: false)
    #expect(heard.delay(quantile: 0.99) < 45)
    #expect(heard.concealedShare < 0.000_1)
    #expect(heard.statistics.latePackets == 0)
  }
}
