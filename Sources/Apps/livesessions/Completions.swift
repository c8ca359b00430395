import ArgumentParser
import ControlMessages
import Glibc
import MediaPlaneAPI
import SystemSupport

/// What a shell is offered for an argument: asked of the daemon when it is needed, for 300 ms at most. Nothing is offered, and
/// nothing said, when the daemon is not there or too slow.
enum Completions {
  static let limit = Duration.milliseconds(300)

  /// The titles of users who are online.
  static let titles = kind { client throws(ControlClientError) in
    try client.call(.users, timeout: limit).users.map(\.userTitle)
  }

  static let archives = kind { client throws(ControlClientError) in
    try client.call(.archiveList, ArchiveListParameters(limit: 200), timeout: limit).archives.map(\.archiveID)
  }

  /// The ids of calls.
  static let sessions = kind { client throws(ControlClientError) in
    try client.call(.status, timeout: limit).status.sessions.map(\.sessionID)
  }

  static let actions = kind { client throws(ControlClientError) in
    try client.call(.listActions, timeout: limit).actions.map(\.name)
  }

  /// The names of further cameras.
  static let cameras = kind { client throws(ControlClientError) in
    try client.call(.status, timeout: limit).status.devices.compactMap(\.camera)
  }

  /// Cameras, and the two words that mean one or all.
  static let views = kind { client throws(ControlClientError) in
    try ["device", "mosaic"] + client.call(.status, timeout: limit).status.devices.compactMap(\.camera)
  }

  private typealias Question = @Sendable (inout ControlClient) throws(ControlClientError) -> [String]

  private static func kind(_ question: @escaping Question) -> CompletionKind {
    .custom { words, _, _ in candidates(question, socket: socket(in: words)) }
  }

  /// The socket that the words of an unfinished command name, or that of the instance which they do.
  static func socket(in words: [String]) -> String? {
    value(of: "--socket", in: words)
      ?? value(of: "--instance", in: words).flatMap { DeviceInstance(name: $0) }?.socket
  }

  private static func value(of option: String, in words: [String]) -> String? {
    if let value = words.last(where: { $0.hasPrefix("\(option)=") }) {
      return String(value.dropFirst(option.count + 1))
    }
    return words.lastIndex(of: option).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
  }

  private static func candidates(_ question: Question, socket: String?) -> [String] {
    endLater()
    guard var client = try? ControlClient(path: socket ?? ConnectionOptions.usualPath),
      let found = try? question(&client)
    else { return [] }
    return Set(found.filter(isPlain)).sorted()
  }

  /// A name is typed into a shell: one that others gave must not bring control characters there.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  /// A daemon that sends a byte now and then, or takes no connection, holds the shell up no longer.
  private static func endLater() {
    signal(SIGALRM) { _ in _exit(0) }
    var timer = itimerval()
    timer.it_value.tv_usec = suseconds_t(limit / .microseconds(1))
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
  }
}
