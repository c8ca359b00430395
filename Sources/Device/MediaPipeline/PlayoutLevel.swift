internal import MediaCore

/// Keeps as much sound waiting to be played as at the beginning, although the sender's clock and the card's drift apart.
struct PlayoutLevel {
  private let target: TimeSpan
  private var clock = ClockFollower(timeConstant: .seconds(30))
  private var window = OffsetWindow(length: PlayoutLevel.windowLength)

  /// The network's jitter evens out over so long.
  private static let windowLength = TimeSpan.seconds(1)

  /// - Parameter target: what should wait, in packets and in the card, when a packet is due.
  init(target: TimeSpan) { self.target = target }

  /// By how much more samples have to be made than the sender sends, in parts per million.
  var correction: Double { clock.correction }

  /// Takes what waits now, before a packet of so much sound is played; returns whether ``correction`` is new.
  mutating func note(_ waiting: TimeSpan, over packet: TimeSpan) -> Bool {
    window.add(target - waiting, over: packet)
    let time = window.time
    guard let offset = window.takeMean() else { return false }
    clock.follow(offset, over: time)
    return true
  }

  /// A new stretch of sound begins.
  mutating func interrupt() {
    window = OffsetWindow(length: Self.windowLength)
    clock.interrupt()
  }
}
