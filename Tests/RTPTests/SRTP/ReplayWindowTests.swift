import RTP
import Testing

/// RFC 3711 §3.3.2.
@Suite struct ReplayWindowTests {
  @Test func admitsEachIndexOnce() {
    var window = ReplayWindow()
    for index in [UInt64(7), 8, 10, 9, 2_000, 1_500] {
      #expect(window.admits(index))
      window.note(index)
      #expect(!window.admits(index))
    }
  }

  @Test func refusesWhatIsOlderThanItself() {
    var window = ReplayWindow()
    window.note(5_000)
    #expect(window.admits(5_000 - 1_023))
    #expect(!window.admits(5_000 - 1_024))
  }

  @Test func forgetsWhatTheSamePlacesHeldBefore() {
    var window = ReplayWindow()
    for index in UInt64(0)..<1_024 { window.note(index) }
    window.note(1_500)
    #expect(window.admits(1_499))
    #expect(window.admits(1_024))
    #expect(!window.admits(1_023))
    window.note(10_000)
    #expect(window.admits(9_999))
  }

  /// Compared with a plain set.
  @Test func agreesWithASet() {
    var generator = SystemRandomNumberGenerator()
    var window = ReplayWindow()
    var seen: Set<UInt64> = []
    var highest: UInt64 = 0
    for _ in 0..<20_000 {
      let reach = min(highest, 1_100)
      let index = highest - reach + UInt64.random(in: 0...(reach + 40), using: &generator)
      let isNew = seen.isEmpty || index > highest || (highest - index < 1_024 && !seen.contains(index))
      #expect(window.admits(index) == isNew)
      guard isNew else { continue }
      window.note(index)
      seen.insert(index)
      highest = max(highest, index)
    }
  }
}
