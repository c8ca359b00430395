import MediaCore
import Testing

/// Bridging loss and changing the delay bends sound no more sharply than the decoder alone does.
@Suite struct ClickTests {
  /// A bend half as sharp again as any in sound that arrives whole counts as a click.
  private func clicks(of network: Network, _ recording: Recording) -> (heard: Int, decoded: Int) {
    let whole = Heard(samples: recording.decoded(Network.constant.trace(packets: 1_000)))
    let limit = whole.sharpestBend * 3 / 2
    let trace = network.trace(packets: 1_500, seed: 7)
    let decoded = Heard(samples: recording.decoded(trace))
    return (play(trace, of: recording).clicks(above: limit), decoded.clicks(above: limit))
  }

  @Test(arguments: Network.allCases) func voiceHasNone(network: Network) {
    let clicks = clicks(of: network, .speech)
    #expect(clicks.decoded == 0)
    #expect(clicks.heard == 0)
  }

  /// Linear prediction alone, and together with transform coding.
  @Test(arguments: [12, 20, 32]) func noneAtAnyBitrate(kilobits: Int) {
    let recording = Recording.voice(.kilobits(kilobits))
    for network in [Network.loss10, .lossBursts] {
      let clicks = clicks(of: network, recording)
      #expect(clicks.heard <= clicks.decoded)
    }
  }

  /// Transform coding alone.
  @Test(arguments: [200.0, 440, 1_000]) func tonesHaveNone(frequency: Double) {
    let recording = Recording.tone(frequency)
    for network in [Network.loss10, .delaySteps] {
      let clicks = clicks(of: network, recording)
      #expect(clicks.heard <= clicks.decoded)
    }
  }
}
