import Glibc
public import Logging
import SafeText

/// Writes log records to standard error, with the priority prefix of sd-daemon(3) when journald reads them.
///
/// A record is always one line: a line feed would begin a record that claims another
/// priority, so it is escaped like every other control. Several records take several log calls.
public struct JournalLogHandler: LogHandler {
  /// Bytes of a record; journald splits longer ones at 48 KiB.
  static let maximumLength = 8_192

  public var metadata: Logger.Metadata = [:]
  private let level: SharedLogLevel
  private let usesPriorities: Bool
  private let descriptor: Int32

  /// - Parameter descriptor: where records go; a record is one write.
  public init(level: SharedLogLevel, environment: [String: String], descriptor: Int32 = 2) {
    self.level = level
    self.descriptor = descriptor
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
    let line = Array((prefix + Self.shortened("\(event.message)\(suffix)".escapingControls) + "\n").utf8)
    _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  private static func shortened(_ text: String) -> String {
    let surplus = text.utf8.count - maximumLength
    guard surplus > 0 else { return text }
    let kept = String(decoding: text.utf8.prefix(maximumLength), as: UTF8.self)
    return "\(kept)… (\(surplus) bytes more)"
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
