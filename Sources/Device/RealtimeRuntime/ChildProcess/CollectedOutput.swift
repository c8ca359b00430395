internal import CLinux
internal import Glibc

extension ChildProcess {
  /// Runs the program to its end, and keeps the first of what it prints. Blocks the thread.
  ///
  /// - Parameter files: without an output of their own; without one for errors, these are kept as well.
  public func output(
    _ files: StandardFiles, maximumBytes: Int
  ) throws(StartFailure) -> (outcome: Outcome, output: CollectedOutput) {
    var ends: [Int32] = [-1, -1]
    guard ls_pipe(&ends) == 0 else { throw StartFailure(path: command[0], code: errno) }
    defer { for end in ends { close(end) } }
    var collected = CollectedOutput(maximumBytes: maximumBytes)
    let files = StandardFiles(input: files.input, output: ends[1], error: files.error ?? ends[1])
    let outcome = try run(files) { collected.read(ends[0]) }
    return (outcome, collected)
  }
}

/// The first of what a program prints; the rest is read and dropped, so that the program does not wait.
public struct CollectedOutput {
  private let maximumBytes: Int
  private var bytes: [UInt8] = []
  private var isCut = false

  fileprivate init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Reads what waits, at most a megabyte.
  fileprivate mutating func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<256 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      let room = maximumBytes - bytes.count
      bytes += buffer.prefix(min(count, room))
      if count > room { isCut = true }
    }
  }

  public var text: String { String(decoding: bytes, as: UTF8.self) }

  func lines(atMost count: Int) -> [String] {
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    return Array(lines.prefix(count)) + (isCut || lines.count > count ? ["(more was printed)"] : [])
  }
}
