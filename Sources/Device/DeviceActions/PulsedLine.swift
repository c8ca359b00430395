import CallPolicy
import DeviceConfiguration
import Logging

/// One action's line: inactive and held, but for one pulse at a time.
actor PulsedLine {
  private let settings: ActionSettings.LinePulse
  private let name: String
  private let open: @Sendable (ActionLine) throws -> any OutputLine
  private let logger: Logger
  private var line: (any OutputLine)?
  private var pulse: Task<Void, Never>?

  init(
    name: String, _ settings: ActionSettings.LinePulse, logger: Logger,
    open: @escaping @Sendable (ActionLine) throws -> any OutputLine
  ) {
    self.name = name
    self.settings = settings
    self.logger = logger
    self.open = open
  }

  /// Takes the line, unless it is held.
  func hold() throws {
    if line == nil { line = try open(settings.line) }
  }

  /// Begins a pulse; returns when the line is active.
  ///
  /// A chip that was unplugged and is back is found again.
  func start() throws(ActionRefusal) {
    guard pulse == nil else { throw .busy }
    do {
      try setActive()
    } catch {
      throw .failed("\(error)")
    }
    let length = settings.length
    pulse = Task {
      // Cancelled, it ends the pulse at once.
      try? await Task.sleep(for: length, tolerance: .zero)
      await self.end()
    }
  }

  private func setActive() throws {
    try hold()
    do {
      try line?.set(isActive: true)
    } catch {
      // Reopened, it is inactive.
      line = nil
      try hold()
      try line?.set(isActive: true)
    }
  }

  /// Ends a pulse and releases the line.
  func stop() async {
    pulse?.cancel()
    await pulse?.value
    line = nil
  }

  /// What cannot be set inactive is tried again for as long as the daemon runs; a daemon that stops tries for two seconds.
  private func end() async {
    var failures = 0
    while !setInactive(isFirst: failures == 0), !Task.isCancelled || failures < 10 {
      failures += 1
      await Self.pause()
    }
    pulse = nil
  }

  private func setInactive(isFirst: Bool) -> Bool {
    do {
      // Reopened, it is inactive as well.
      guard let line else {
        try hold()
        return true
      }
      try line.set(isActive: false)
      return true
    } catch {
      if isFirst { logger.critical("action \(name): the line cannot be set inactive: \(error)") }
      line = nil
      return false
    }
  }

  /// Pauses also when the task is cancelled.
  private static func pause() async {
    await Task.detached { try? await Task.sleep(for: .milliseconds(200)) }.value
  }
}
