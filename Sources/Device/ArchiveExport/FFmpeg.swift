import Archive
import Glibc

/// The program ffmpeg, as it is installed.
public struct FFmpeg: Sendable {
  let path: String

  /// Finds the program.
  ///
  /// - Parameter searchPath: folders with colons between, as in `PATH`.
  public init(searchPath: String) throws(ExportError) {
    let candidates = searchPath.split(separator: ":").filter { $0.hasPrefix("/") }.map { String($0) + "/ffmpeg" }
    guard let path = candidates.first(where: { access($0, X_OK) == 0 }) else { throw .ffmpegMissing }
    self.path = path
  }

  /// Checks that the program can make the format.
  func check(_ format: RenderFormat) throws(ExportError) {
    let names = try encoders()
    let missing = format.encoders.filter { !names.contains($0) }
    guard missing.isEmpty else { throw .encoderMissing(missing) }
  }

  /// The names in the second column of what it says about its encoders.
  private func encoders() throws(ExportError) -> Set<String> {
    let output = try ChildProcess.output(of: path, ["-hide_banner", "-v", "error", "-encoders"])
    let lines = output.split(separator: "\n")
    return Set(lines.compactMap { $0.split(separator: " ", maxSplits: 2).dropFirst().first.map { String($0) } })
  }

  /// Runs the program to its end, with every reader's bytes on a descriptor of its own from `SideBySide.firstInput` on.
  ///
  /// - Parameter onTurn: called a few times a second; what it throws ends the program.
  func run(_ arguments: [String], feeding readers: [ArchiveTrackReader], onTurn: () throws -> Void) throws {
    var feeders: [InputFeeder] = []
    for reader in readers { feeders.append(try InputFeeder(reader)) }
    let child = try ChildProcess(path, arguments, inputs: feeders.map(\.childDescriptor))
    for feeder in feeders { feeder.closeChildEnd() }
    while try InputFeeder.feed(feeders) { try onTurn() }
    while child.isRunning {
      try onTurn()
      usleep(50_000)
    }
    guard child.status == 0 else { throw ExportError.ffmpegFailed(status: child.status) }
  }
}
