import Foundation
import Testing

/// Commands whose standard output takes nothing any more: who reads the rest must see that it is not all.
@Suite("Standard output that fails") struct FullOutputTests {
  private static let etc = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../etc/livesessions").path

  /// Runs a command with a redirection of the shell.
  private func run(_ program: String, _ arguments: String, _ redirection: String) throws -> (Int32, String) {
    let process = Process()
    let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "'\(folder)/\(program)' \(arguments) \(redirection)"]
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private func expectFailure(_ program: String, _ arguments: String) throws {
    let good = try run(program, arguments, "> /dev/null")
    for redirection in ["> /dev/full", ">&-"] {
      let (status, errors) = try run(program, arguments, redirection)
      #expect(status != 0 && status < 128, "\(program) \(arguments) \(redirection): \(status)")
      #expect(errors.contains("\(program): standard output: "), "\(program) \(arguments) \(redirection): \(errors)")
    }
    #expect(good.0 == 0 || good.0 == 1, "\(program) \(arguments): \(good)")
  }

  /// What reads, each as text and as JSON.
  @Test(arguments: [
    "status", "users", "stats", "action list", "archive list", "archive show a1", "archive verify", "archive repair a1",
  ]) func readingCommands(command: String) async throws {
    try await withServer { _, path in
      try expectFailure("livesessions", "\(command) --socket \(path)")
      try expectFailure("livesessions", "\(command) --socket \(path) --json")
    }
  }

  @Test(arguments: ["--help", "help archive", "--version", "archive --help"]) func help(arguments: String) throws {
    try expectFailure("livesessions", arguments)
    try expectFailure("livesessions-hub", arguments == "help archive" ? "help" : "--help")
  }

  @Test func filesAndHub() throws {
    try expectFailure("livesessions", "config check \(Self.etc)/device.toml \(Self.etc)/policy.toml")
    try expectFailure("livesessions", "devices")
    try expectFailure("livesessions-hub", "config check \(Self.etc)/hub.toml")
    let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try expectFailure("livesessions", "archive list --directory '\(folder.path)'")
  }

  /// Whoever ends a pipe early, as `head` does, wants no error.
  @Test func aPipeThatIsClosedIsNoError() async throws {
    try await withServer { _, path in
      let (_, errors) = try run("livesessions", "status --socket \(path)", "| true")
      #expect(errors == "")
    }
  }
}
