import ArgumentParser
import Foundation
import SafeText

/// An error that ends the program with one line and an exit code that `systemd` understands.
struct Failure: Error {
  /// `EX_CONFIG` of `sysexits.h`: restarting would not help.
  static let configuration: Int32 = 78
  static let general: Int32 = 1

  let message: String
  let exitCode: Int32

  init(_ message: String, exitCode: Int32 = Failure.general) {
    self.message = message
    self.exitCode = exitCode
  }
}

/// Runs a command's body; a failure becomes a line on standard error and an exit code.
func reportingFailures(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let failure as Failure {
    let isConfiguration = failure.exitCode == Failure.configuration
    for line in isConfiguration ? failure.message.split(separator: "\n") : [failure.message[...]] {
      printError("livesessions-hub: \(line)")
    }
    throw ExitCode(failure.exitCode)
  }
}

func printError(_ line: String) {
  FileHandle.standardError.write(Data((line.escapingControls + "\n").utf8))
}
