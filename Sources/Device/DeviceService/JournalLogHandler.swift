import Glibc
public import Logging

/// Writes log lines to standard error, with the priority prefix of sd-daemon(3) when journald reads them.
public struct JournalLogHandler: LogHandler {
  public var metadata: Logger.Metadata = [:]
  private let level: SharedLogLevel
  private let usesPriorities: Bool

  public init(level: SharedLogLevel, environment: [String: String]) {
    self.level = level
    usesPriorities = environment["JOURNAL_STREAM"] != nil
  }

  /// That of all handlers.
  public var logLevel: Logger.Level {
    get { level.value }
    nonmutating set { level.value = newValue }
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }
    let suffix = fields.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined()
    let prefix = usesPriorities ? "<\(event.level.priority)>" : "\(event.level): "
    // A line feed within a message would start a line of another priority.
    let text = "\(event.message)\(suffix)".split(separator: "\n", omittingEmptySubsequences: true)
    let lines = text.map { prefix + $0 + "\n" }.joined()
    _ = lines.withCString { write(2, $0, strlen($0)) }
  }
}

extension Logger.Level {
  /// The syslog priority.
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
