internal import SystemSupport
public import Logging

/// Keeps log records, for tests of their texts.
public final class RecordedLog: LogHandler {
  private let recorded = Mutex<[String]>([])
  private let level: Logger.Level

  /// - Parameter level: lower levels are dropped.
  public init(_ level: Logger.Level = .trace) { self.level = level }

  /// The messages, without level and metadata.
  public var lines: [String] { recorded.withLock { $0 } }

  public var logger: Logger { Logger(label: "test") { _ in self } }

  public var logLevel: Logger.Level {
    get { level }
    set {}
  }

  public var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  public func log(event: LogEvent) { recorded.withLock { $0.append("\(event.message)") } }
}
