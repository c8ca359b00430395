public import MediaCore

/// What a button's edges are judged by.
public struct ButtonTiming: Hashable, Sendable {
  /// A level counts once it has held for so long: shorter ones are contacts that bounce, or noise on a long line.
  public var debounce: TimeSpan
  /// Held for so long it is a long press; nil if there is none, so that a press counts when the button goes down, not when
  /// it comes up.
  public var longPress: TimeSpan?
  /// A button that is down for longer is stuck.
  public var stuckAfter: TimeSpan
  /// Beyond so many presses within ``guardWindow`` none counts until the button has rested for ``guardWindow``.
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

/// What somebody did with a button.
public enum ButtonEvent: Hashable, Sendable {
  case press
  case longPress
  /// Pressed so often that presses do not count until it has rested; said once.
  case hammered
  /// Down for so long that nobody holds it; said once.
  case stuck
  /// Comes up after it was stuck.
  case freed
}
