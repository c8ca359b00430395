/// Follows the temporal three pattern of ISO 8201 in blocks of 20 ms that are on or off.
///
/// A pulse may last 0.4 to 0.6 s, a pause between pulses 0.4 to 0.6 s and the long one 1.2 to 1.8 s; up to three blocks that do not
/// fit are echo or noise.
struct TemporalPattern: Hashable, Sendable {
  private var isOn = false
  /// Blocks in the present state, and in the other one since.
  private var length = 0
  private var contrary = 0
  /// Pulses of the pattern so far, and whole patterns in a row.
  private var pulses = 0
  private var patterns = 0
  /// Blocks since the last whole pattern ended.
  private var silence = 0

  private static let pulse = 20...31
  private static let shortPause = 19...31
  private static let longPause = 60...90
  private static let maxContrary = 3
  /// An alarm is over when no pattern has been whole for five seconds.
  private static let maxSilence = 250
  private static let wanted = 2

  /// Takes a block; returns whether enough patterns came in a row.
  mutating func take(isOn block: Bool) -> Bool {
    silence += 1
    if silence > Self.maxSilence { patterns = 0 }
    if block == isOn {
      length += contrary + 1
      contrary = 0
    } else {
      contrary += 1
      if contrary > Self.maxContrary { change() }
    }
    return patterns >= Self.wanted
  }

  private mutating func change() {
    if isOn { endPulse(length) } else { endPause(length) }
    isOn.toggle()
    (length, contrary) = (contrary, 0)
  }

  private mutating func endPulse(_ length: Int) {
    guard Self.pulse.contains(length), pulses < 3 else { return pulses = 0 }
    pulses += 1
    guard pulses == 3 else { return }
    patterns = min(patterns + 1, Self.wanted)
    silence = 0
  }

  private mutating func endPause(_ length: Int) {
    if pulses == 3 {
      if !Self.longPause.contains(length) { patterns = 0 }
      pulses = 0
    } else if !Self.shortPause.contains(length) {
      pulses = 0
    }
  }
}
