public import MediaCore

/// Turns a button's edges into presses: takes levels with their times, and returns actions.
///
/// Does nothing itself and reads no clock. A press counts ``ButtonTiming/debounce`` after the edge; with a long press set
/// it counts when the button comes up.
public struct Button: Hashable, Sendable {
  private let timing: ButtonTiming
  /// The level reported last, and since when.
  private var level: Bool
  private var levelSince: MonotonicInstant
  /// What remains of that without bouncing.
  private var isDown: Bool
  private var downSince: MonotonicInstant
  /// Whether the current press has been reported.
  private var isReported: Bool
  private var isStuck = false
  private var presses = PressGuard()
  /// Keeps time monotonic, regardless of the driver.
  private var newest: MonotonicInstant

  /// - Parameter isDown: whether it is down at the start; that is no press.
  public init(_ timing: ButtonTiming, isDown: Bool = false, now: MonotonicInstant) {
    self.timing = timing
    level = isDown
    levelSince = now
    self.isDown = isDown
    downSince = now
    isReported = isDown
    newest = now
  }

  /// When ``tick(now:)`` has something to do next.
  public var nextDeadline: MonotonicInstant? { [settlesAt, longAt, stuckAt].compactMap { $0 }.min() }

  /// Takes a level, which may be the same as before.
  ///
  /// - Parameter time: when it came about; one before those of earlier calls counts as the latest of these.
  public mutating func take(isDown: Bool, at time: MonotonicInstant) -> [ButtonEvent] {
    let time = max(time, newest)
    let events = tick(now: time)
    if isDown != level {
      level = isDown
      levelSince = time
    }
    return events + tick(now: time)
  }

  /// Takes the level at a moment when events were lost or a device came back: what happened meanwhile is not known, so
  /// that a button that is down is not being pressed.
  public mutating func resume(isDown: Bool, at time: MonotonicInstant) -> [ButtonEvent] {
    let time = max(time, newest)
    let events = tick(now: time)
    let wasStuck = isStuck
    guard !(self.isDown && isDown) else { return events }
    self = Button(timing, isDown: isDown, now: time, presses: presses)
    return events + (wasStuck ? [.freed] : [])
  }

  private init(_ timing: ButtonTiming, isDown: Bool, now: MonotonicInstant, presses: PressGuard) {
    self.init(timing, isDown: isDown, now: now)
    self.presses = presses
  }

  /// Whatever the time brings about.
  public mutating func tick(now: MonotonicInstant) -> [ButtonEvent] {
    newest = max(newest, now)
    var events: [ButtonEvent] = []
    while let deadline = nextDeadline, deadline <= newest { events += step(at: deadline) }
    return events
  }

  // MARK: Steps

  private var settlesAt: MonotonicInstant? { level == isDown ? nil : levelSince + timing.debounce }

  private var longAt: MonotonicInstant? {
    guard isDown, !isReported, level, let longPress = timing.longPress else { return nil }
    return downSince + longPress
  }

  private var stuckAt: MonotonicInstant? { isDown && !isStuck ? downSince + timing.stuckAfter : nil }

  /// Does the first due step.
  private mutating func step(at deadline: MonotonicInstant) -> [ButtonEvent] {
    if settlesAt == deadline { return settle() }
    if longAt == deadline {
      isReported = true
      return count(.longPress, at: deadline)
    }
    isStuck = true
    isReported = true
    return [.stuck]
  }

  private mutating func settle() -> [ButtonEvent] {
    isDown = level
    if isDown {
      downSince = levelSince
      isReported = timing.longPress == nil
      return isReported ? count(.press, at: levelSince) : []
    }
    defer { (isStuck, isReported) = (false, true) }
    if isStuck { return [.freed] }
    return isReported ? [] : count(.press, at: levelSince)
  }

  private mutating func count(_ event: ButtonEvent, at time: MonotonicInstant) -> [ButtonEvent] {
    switch presses.take(at: time, maximum: timing.maxPresses, window: timing.guardWindow) {
    case .counts: [event]
    case .begins: [.hammered]
    case .ignored: []
    }
  }
}
