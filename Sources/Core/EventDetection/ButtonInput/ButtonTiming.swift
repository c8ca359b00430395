public import MediaCore

/// What a button's edges are judged by.
public struct ButtonTiming: Hashable, Sendable {
  /// How long a level must hold to count: shorter ones are bouncing contacts, or noise on a long line.
  public var debounce: TimeSpan
  /// The length of a long press; nil if there is none, so that a press counts when the button goes down, not when
  /// it comes up.
  public var longPress: TimeSpan?
  /// A button that is down for longer is stuck.
  public var stuckAfter: TimeSpan
  /// Beyond this many presses within ``guardWindow`` none counts until the button has rested for ``guardWindow``.
  public var maxPresses: Int
  public var guardWindow: TimeSpan

  public init(
    debounce: TimeSpan = .milliseconds(20), longPress: TimeSpan? = nil, stuckAfter: TimeSpan = .seconds(30),
    maxPresses: Int = 5, guardWindow: TimeSpan = .seconds(10)
  ) {
    self.debounce = max(debounce, .zero)
    self.longPress = longPress.map { max($0, .milliseconds(1)) }
    self.stuckAfter = max(stuckAfter, .milliseconds(1))
    self.maxPresses = max(maxPresses, 1)
    self.guardWindow = max(guardWindow, .zero)
  }
}

/// What was done with a button.
public enum ButtonEvent: Hashable, Sendable {
  case press
  case longPress
  /// Pressed so often that presses do not count until it has rested; said once.
  case hammered
  /// Down for longer than anyone would hold it; reported once.
  case stuck
  /// Comes up after it was stuck.
  case freed
}
