import ArgumentParser
import ControlMessages
import Glibc
import SafeText

/// A line on standard error (one for each mistake of a configuration) and an exit code of `sysexits.h`.
struct Failure {
  static let configuration: Int32 = 78
  static let unavailable: Int32 = 69
  static let general: Int32 = 1

  var message: String
  var code: Int32 = Failure.general

  init(_ message: String, code: Int32 = Failure.general) {
    self.message = message
    self.code = code
  }

  init(_ error: ControlClientError) {
    message = error.description
    switch error {
    case .notRunning, .permissionDenied, .timedOut, .disconnected: code = Failure.unavailable
    case .refused(.invalidConfiguration): code = Failure.configuration
    case .refused, .incompatible, .malformedReply, .system: code = Failure.general
    }
  }

  /// Prints the line and returns what ends the program.
  func reported() -> ExitCode {
    let text = code == Self.configuration ? message.escapingControlsInLines : message.escapingControls
    let name = TerminalStyle.alarm.text("livesessions:", descriptor: STDERR_FILENO)
    let line = Array("\(name) \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    return ExitCode(code)
  }
}
