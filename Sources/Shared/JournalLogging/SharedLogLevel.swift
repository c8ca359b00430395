public import Logging
import SystemSupport

/// The level of all of a program's loggers, which a reload may change.
public final class SharedLogLevel: Sendable {
  private let level: Mutex<Logger.Level>

  public init(_ level: Logger.Level) { self.level = Mutex(level) }

  public var value: Logger.Level {
    get { level.withLock { $0 } }
    set { level.withLock { $0 = newValue } }
  }
}
