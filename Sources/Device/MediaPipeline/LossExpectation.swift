/// Decides which loss the audio encoder prepares for, from the loss that is observed.
///
/// Preparing costs bits and quality (copies of packets, less prediction between them), and each change is slightly
/// audible. So loss is answered in steps, up at once, and down by one step only when it stayed below for ten seconds.
struct LossExpectation {
  private var step = 0
  /// Packets for which less would have done.
  private var calm = 0

  /// Percent at which a step begins, and for which the encoder then prepares. Below two percent concealment alone sounds
  /// better than copies.
  private static let steps: [(from: Int, percent: Int)] = [(0, 0), (2, 5), (7, 12), (15, 20), (23, 30)]
  /// Ten seconds of 20 ms.
  private static let requiredCalm = 500

  /// Takes what is observed at each packet, in percent; returns what to expect from now on if that changes.
  mutating func update(observed: Int) -> Int? {
    if step + 1 < Self.steps.count, observed >= Self.steps[step + 1].from {
      while step + 1 < Self.steps.count, observed >= Self.steps[step + 1].from { step += 1 }
      calm = 0
      return Self.steps[step].percent
    }
    calm = observed < Self.steps[step].from ? calm + 1 : 0
    guard calm >= Self.requiredCalm else { return nil }
    calm = 0
    step -= 1
    return Self.steps[step].percent
  }
}
