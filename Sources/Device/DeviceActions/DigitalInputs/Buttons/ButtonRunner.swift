import EventDetection
import DeviceConfiguration
import Logging
import MediaCore
import RealtimeRuntime

/// One button in real time: hands it edges and the time, and its presses on.
actor ButtonRunner {
  /// What is to be done, in order; bounded, since a button's guard lets few presses through.
  nonisolated let actions: AsyncStream<ButtonAction>
  private let wanted: AsyncStream<ButtonAction>.Continuation
  private let settings: ButtonSettings
  private let logger: Logger
  private var button: Button
  private var alarm: Task<Void, Never>?

  init(_ settings: ButtonSettings, logger: Logger) {
    self.settings = settings
    self.logger = logger
    button = Button(settings.timing, now: MonotonicClock.now())
    (actions, wanted) = AsyncStream.makeStream(of: ButtonAction.self, bufferingPolicy: .bufferingOldest(8))
  }

  /// - Parameter isFound: whether this is a level that was found where a device came or went, not an edge.
  func take(isDown: Bool, at time: MonotonicInstant, isFound: Bool) {
    // A driver's time may lie ahead of the clock by nothing that matters.
    let time = min(time, MonotonicClock.now())
    report(isFound ? button.resume(isDown: isDown, at: time) : button.take(isDown: isDown, at: time))
  }

  func stop() {
    alarm?.cancel()
    wanted.finish()
  }

  private func tick() { report(button.tick(now: MonotonicClock.now())) }

  private func report(_ events: [ButtonEvent]) {
    for event in events { report(event) }
    alarm?.cancel()
    alarm = button.nextDeadline.map { deadline in
      Task { [weak self] in
        let wait = deadline - MonotonicClock.now()
        if wait > .zero { try? await Task.sleep(for: Duration(wait)) }
        if !Task.isCancelled { await self?.tick() }
      }
    }
  }

  private func report(_ event: ButtonEvent) {
    let name = "button \"\(settings.name)\""
    switch event {
    case .press: act(settings.press, "\(name): pressed")
    case .longPress: act(settings.longPress, "\(name): long press")
    case .hammered:
      logger.warning(
        "\(name) is pressed too often; it is ignored until it has rested for \(settings.timing.guardWindow.milliseconds / 1000) s"
      )
    case .stuck:
      logger.warning(
        "\(name) has been down for \(settings.timing.stuckAfter.milliseconds / 1000) s: it is stuck, or its line is short-circuited; check it"
      )
    case .freed: logger.notice("\(name) is up again")
    }
  }

  private func act(_ action: ButtonAction?, _ text: String) {
    guard let action else { return logger.debug("\(text), which does nothing") }
    logger.notice("\(text): \(action)")
    wanted.yield(action)
  }
}
