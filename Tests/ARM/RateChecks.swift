import CongestionControl
import MediaCore

/// Rates over a noisy path: that they keep within their limits. How good they are, CongestionControlTests say.
func checkRates() {
  for isByReceiver in [false, true] {
    for noise in [.jitter(25), .stalls(200, every: 5), .scheduling] as [PathNoise] {
      var path = NoisyPath(noise: noise, seed: 1, isByReceiver: isByReceiver)
      path.run(seconds: 30)
      expect(path.estimates.count == 3_000 && path.estimates.allSatisfy { (30...2_500).contains($0) })
    }
  }
}
