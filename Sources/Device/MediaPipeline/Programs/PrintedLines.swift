internal import MediaCore
internal import SafeText
internal import SystemSupport

/// Cuts what a program prints into lines, at line feeds and carriage returns. Its memory is one line's.
struct LineSplitter {
  private static let longest = 400

  private var line: [UInt8] = []

  /// - Parameter body: called with each line that is not empty, cut after 400 bytes.
  mutating func add(_ bytes: UnsafeRawBufferPointer, _ body: (String) -> Void) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        end(body)
      } else if line.count < Self.longest {
        line.append(byte)
      }
    }
  }

  /// No more will come.
  mutating func end(_ body: (String) -> Void) {
    guard !line.isEmpty else { return }
    body(String(decoding: line, as: UTF8.self))
    line.removeAll(keepingCapacity: true)
  }
}

/// Reports what the programs of one medium print: twenty lines at once, two a minute from then on, however often a program is
/// started.
final class PrintedLines: Sendable {
  private struct State {
    var limit = LeakyBucket(capacity: 20, rate: 1.0 / 30)
    var omitted = 0
  }

  private let state = Mutex(State())
  private let report: @Sendable (String) -> Void

  /// - Parameter report: takes a line that commands no terminal and shows no password of a URL.
  init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

  /// - Parameter name: of the program.
  func add(_ line: String, of name: String, now: MonotonicInstant) {
    let omitted = state.withLock { state -> Int? in
      guard state.limit.add(1, now: now) else {
        state.omitted = state.omitted.saturatingAdding(1)
        return nil
      }
      defer { state.omitted = 0 }
      return state.omitted
    }
    guard let omitted else { return }
    let note = omitted > 0 ? " (\(omitted) lines before it were left out)" : ""
    report("\(name): \(line.escapingControls.hidingURLPasswords)\(note)")
  }
}
