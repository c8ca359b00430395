import Testing

@testable import CongestionControl

@Suite struct InherentLossTests {
  @Test func lossThatLessSendingDoesNotCureIsThePathsOwn() {
    var loss = InherentLoss()
    for sent in [800_000.0, 700_000, 600_000, 540_000] { loss.note(0.25, sent: sent) }
    #expect(loss.fraction == 0.25)
    // The path has become better.
    for _ in 0..<60 { loss.note(0.01, sent: 800_000) }
    #expect(loss.fraction < 0.02)
  }

  /// A link of 600 kbit/s loses what is beyond that.
  @Test func lossByOverflowIsNot() {
    var loss = InherentLoss()
    for sent in [1_000_000.0, 900_000, 800_000, 700_000, 650_000, 620_000] {
      loss.note(1 - 600_000 / sent, sent: sent)
    }
    #expect(loss.fraction == 0)
  }

  @Test func aTrialBeginsAnewWhenMoreIsSent() {
    var loss = InherentLoss()
    for sent in [500_000.0, 800_000, 600_000] { loss.note(0.2, sent: sent) }
    #expect(loss.fraction == 0)
  }

  @Test func moreThanHalfIsNeverAccepted() {
    var loss = InherentLoss()
    for sent in [800_000.0, 100_000] { loss.note(0.9, sent: sent) }
    #expect(loss.fraction <= 0.4)
  }
}
