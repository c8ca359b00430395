import EventDetection
import MediaCore
import TestSupport
import Testing

@Suite("Buttons")
struct ButtonTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 0) + .milliseconds(1_000_000 + milliseconds)
  }

  private func button(longPress: TimeSpan? = nil) -> Button {
    Button(ButtonTiming(longPress: longPress), now: at(0))
  }

  @Test func aPressCountsOnceTheLevelHasHeld() {
    var button = button()
    #expect(button.take(isDown: true, at: at(10)) == [])
    #expect(button.nextDeadline == at(30))
    #expect(button.tick(now: at(29)) == [])
    #expect(button.tick(now: at(30)) == [.press])
    #expect(button.take(isDown: false, at: at(100)) == [])
    #expect(button.tick(now: at(200)) == [])
    #expect(button.nextDeadline == nil)
  }

  @Test func bouncingContactsAreOnePress() {
    var button = button()
    var events: [ButtonEvent] = []
    for step in 0..<9 { events += button.take(isDown: step.isMultiple(of: 2), at: at(Int64(step) * 5)) }
    events += button.tick(now: at(100))
    for step in 0..<9 { events += button.take(isDown: !step.isMultiple(of: 2), at: at(200 + Int64(step) * 5)) }
    events += button.tick(now: at(300))
    #expect(events == [.press])
  }

  @Test func aSpikeIsNoPress() {
    var button = button()
    let events =
      button.take(isDown: true, at: at(0)) + button.take(isDown: false, at: at(19)) + button.tick(now: at(900))
    #expect(events == [])
  }

  @Test func edgesThatAreToldLateCountByTheirOwnTime() {
    var button = button()
    #expect(button.take(isDown: true, at: at(0)) == [])
    #expect(button.take(isDown: false, at: at(100)) == [.press])
  }

  @Test func aLongPressIsToldWhileItIsHeldAndAShortOneWhenItEnds() {
    var button = button(longPress: .seconds(1))
    #expect(button.take(isDown: true, at: at(0)) + button.tick(now: at(999)) == [])
    #expect(button.tick(now: at(1_000)) == [.longPress])
    #expect(button.take(isDown: false, at: at(1_500)) + button.tick(now: at(1_600)) == [])
    #expect(button.take(isDown: true, at: at(2_000)) + button.take(isDown: false, at: at(2_200)) == [])
    #expect(button.tick(now: at(2_220)) == [.press])
  }

  @Test func aStuckButtonIsToldOnceAndDoesNothing() {
    var button = button()
    var events = button.take(isDown: true, at: at(0))
    for second in 1...3_600 { events += button.tick(now: at(Int64(second) * 1_000)) }
    #expect(events == [.press, .stuck])
    #expect(button.take(isDown: false, at: at(3_700_000)) == [])
    #expect(button.tick(now: at(3_700_020)) == [.freed])
    #expect(button.take(isDown: true, at: at(3_800_000)) + button.tick(now: at(3_800_020)) == [.press])
  }

  @Test func aHammeredButtonIsFivePressesAndOneWordUntilItRests() {
    var button = button()
    var events: [ButtonEvent] = []
    for press in 0..<600 {
      events += button.take(isDown: true, at: at(Int64(press) * 100))
      events += button.take(isDown: false, at: at(Int64(press) * 100 + 50))
    }
    #expect(events == Array(repeating: .press, count: 5) + [.hammered])
    let rested: Int64 = 600 * 100 + 10_100
    events = button.take(isDown: true, at: at(rested)) + button.tick(now: at(rested + 20))
    #expect(events == [.press])
  }

  @Test func aButtonThatIsFoundDownIsNotPressed() {
    var button = button()
    #expect(button.resume(isDown: true, at: at(100)) + button.tick(now: at(1_000)) == [])
    #expect(button.take(isDown: false, at: at(2_000)) + button.tick(now: at(2_100)) == [])
    #expect(button.take(isDown: true, at: at(3_000)) + button.tick(now: at(3_100)) == [.press])
  }

  @Test func aStuckButtonThatIsUnpluggedIsFree() {
    var button = button()
    _ = button.take(isDown: true, at: at(0))
    #expect(button.tick(now: at(40_000)) == [.press, .stuck])
    #expect(button.resume(isDown: false, at: at(41_000)) == [.freed])
  }

  @Test func anUnpluggedButtonWhosePressHasNotSettledIsNotPressed() {
    var button = button()
    _ = button.take(isDown: true, at: at(0))
    #expect(button.resume(isDown: false, at: at(10)) + button.tick(now: at(1_000)) == [])
  }

  /// Random edges, times that jump and run backwards: few presses, deadlines that end, no trap.
  @Test(arguments: UInt64(0)..<40)
  func hostileEdges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var button = Button(
      ButtonTiming(longPress: seed.isMultiple(of: 2) ? .milliseconds(500) : nil), now: at(0))
    var time = at(0)
    var actions = 0
    for _ in 0..<5_000 {
      time = time + .milliseconds(Int64.random(in: -200...400, using: &random))
      if Int.random(in: 0..<1_000, using: &random) == 0 {
        time = MonotonicInstant(nanoseconds: .random(in: 0 ... .max / 2, using: &random))
      }
      let isDown = Bool.random(using: &random)
      let events =
        Int.random(in: 0..<10, using: &random) == 0
        ? button.resume(isDown: isDown, at: time) : button.take(isDown: isDown, at: time)
      actions += events.count { $0 == .press || $0 == .longPress }
      if let deadline = button.nextDeadline { #expect(deadline > time || deadline >= at(0)) }
    }
    #expect(actions < 1_000)
  }

  @Test func keysAreKnownByNameAndNumber() {
    #expect(KeyCode(name: "KEY_F1")?.number == 59)
    #expect(KeyCode(name: "BTN_0")?.number == 0x100)
    #expect(KeyCode(name: "KEY_F") == KeyCode(number: 33))
    #expect(KeyCode(name: "F1") == nil)
    #expect(KeyCode(name: "") == nil)
    #expect(KeyCode(number: 0) == nil)
    #expect(KeyCode(number: 0x300) == nil)
    #expect(InputCode(name: "SW_LID") == SwitchCode(number: 0).map { .switch($0) })
    #expect(InputCode(name: "SW_MACHINE_COVER") == SwitchCode(number: 0x10).map { .switch($0) })
    #expect(InputCode(name: "KEY_F1") == KeyCode(number: 59).map { .key($0) })
    #expect(InputCode(name: "SW_") == nil)
    #expect(SwitchCode(number: 0x11) == nil)
    #expect(SwitchCode(number: -1) == nil)
    #expect(KeyCode.names.count > 400)
  }
}
