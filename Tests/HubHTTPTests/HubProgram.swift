import Foundation

/// Runs the program that the package builds beside the tests.
func hubProgram(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
  try hubProgram(arguments)
}

func hubProgram(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
  let process = Process()
  process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "livesessions-hub")
  process.arguments = arguments
  let (output, errors) = (Pipe(), Pipe())
  (process.standardOutput, process.standardError) = (output, errors)
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text, complaint)
}

/// The same of a hub in this process, for which the wait must leave the tasks' threads alone.
func hubProgram(asking socket: String, _ options: String...) async throws -> (
  status: Int32, output: String, errors: String
) {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(with: Result { try hubProgram(["status", "--socket", socket] + options) })
    }
  }
}
