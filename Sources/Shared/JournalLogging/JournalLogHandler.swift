import Glibc
public import Logging
import SafeText

/// Writes log records to standard error, with the priority prefix of sd-daemon(3) when journald reads them. Records with
/// metadata go to journald's own socket then, where they have fields by which `journalctl` finds them; the others keep to
/// the stream, of which journald knows the unit also when the program has ended.
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
  private let journal: JournalSocket?
  private let program: String

  public init(level: SharedLogLevel, environment: [String: String]) {
    self.init(level: level, environment: environment, descriptor: 2, journal: JournalSocket.path)
  }

  /// - Parameters:
  ///   - descriptor: where records go; a record is one write.
  ///   - journal: the path of journald's socket.
  init(level: SharedLogLevel, environment: [String: String], descriptor: Int32, journal: String) {
    self.level = level
    self.descriptor = descriptor
    let stream = environment["JOURNAL_STREAM"]
    usesPriorities = stream != nil
    self.journal = JournalSocket(journal, reading: descriptor, named: stream)
    program = Self.program
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
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let message = "\(event.message)"
    // What the message says already is a field alone.
    let rest = fields.map { (key: $0.key, value: "\($0.value)") }.filter { !message.contains($0.value) }
    let line = Self.shortened((message + rest.map { " \($0.key)=\($0.value)" }.joined()).escapingControls)
    if let journal, !fields.isEmpty, journal.send(record(line, event.level, fields)) { return }
    let prefix = usesPriorities ? "<\(event.level.priority)>" : "\(event.level): "
    let octets = Array((prefix + line + "\n").utf8)
    _ = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  private func record(
    _ line: String, _ level: Logger.Level, _ fields: [(key: String, value: Logger.Metadata.Value)]
  ) -> [(name: String, value: String)] {
    [("MESSAGE", line), ("PRIORITY", "\(level.priority)"), ("SYSLOG_IDENTIFIER", program)]
      + fields.map { (JournalField.name($0.key), Self.shortened("\($0.value)".escapingControls)) }
  }

  /// The last component of the name by which the program was started.
  static var program: String { CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? "" }

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
