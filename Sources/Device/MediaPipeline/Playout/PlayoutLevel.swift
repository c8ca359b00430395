internal import MediaCore

/// Keeps as much sound waiting to be played as should, although the sender's clock and the card's drift apart.
///
/// A large difference, after jitter has come or gone, is taken out faster than clocks drift: by half a percent, which
/// nobody hears as a change of pitch.
struct PlayoutLevel {
  /// What should wait, in packets and in the card, when a packet is due.
  var target: TimeSpan
  private var clock = ClockFollower(timeConstant: .seconds(30))
  private var window = OffsetWindow(length: PlayoutLevel.windowLength)

  /// The network's jitter evens out over so long.
  private static let windowLength = TimeSpan.seconds(1)
  private static let hurriedCorrection = 5_000.0
  private static let hurriedFrom = TimeSpan.milliseconds(30)
  private static let hurriedTo = TimeSpan.milliseconds(10)
  private var hurry = 0.0

  init(target: TimeSpan) { self.target = target }

  /// By how much more samples have to be made than the sender sends, in parts per million.
  var correction: Double { hurry == 0 ? clock.correction : hurry }

  /// Takes what waits now, before a packet of so much sound is played; returns whether ``correction`` is new.
  mutating func note(_ waiting: TimeSpan, over packet: TimeSpan) -> Bool {
    window.add(target - waiting, over: packet)
    let time = window.time
    guard let offset = window.takeMean() else { return false }
    let limit = hurry == 0 ? Self.hurriedFrom : Self.hurriedTo
    if offset > limit || offset < .zero - limit {
      // What is off now comes from the network and teaches nothing of the clocks.
      hurry = offset > .zero ? Self.hurriedCorrection : -Self.hurriedCorrection
    } else {
      hurry = 0
      clock.follow(offset, over: time)
    }
    return true
  }

  /// A new stretch of sound begins.
  mutating func interrupt() {
    window = OffsetWindow(length: Self.windowLength)
    clock.interrupt()
  }
}
