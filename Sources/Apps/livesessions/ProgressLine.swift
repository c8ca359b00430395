import Glibc

/// A percentage on a terminal's standard error; silent elsewhere. Ends the work when the user interrupts it.
final class ProgressLine {
  private let isTerminal = isatty(STDERR_FILENO) != 0
  private var shown = -1

  /// - Parameter part: from 0 to 1.
  func show(_ part: Double) throws {
    if Interruption.hasCome { throw CancellationError() }
    let percent = Int(part * 100)
    guard isTerminal, percent != shown else { return }
    shown = percent
    write("\r\(percent) %")
  }

  /// Takes the percentage away.
  func end() {
    if shown >= 0 { write("\r     \r") }
    shown = -1
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
