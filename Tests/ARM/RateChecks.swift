import CongestionControl
import MediaCore

/// Rates over a noisy path, with the same bounds as on 64 bits.
func checkRates() {
  for isByReceiver in [false, true] {
    for noise in [.jitter(25), .stalls(200, every: 5), .scheduling] as [PathNoise] {
      var path = NoisyPath(noise: noise, seed: 1, isByReceiver: isByReceiver)
      path.run(seconds: 30)
      let least = path.last(15).min() ?? 0
      expect(least >= 0.8 * NoisyPath.need)
    }
  }
}
