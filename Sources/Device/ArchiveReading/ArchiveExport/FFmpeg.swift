import Archive
import Glibc
import RealtimeRuntime

/// The program ffmpeg, as it is installed.
public struct FFmpeg: Sendable {
  let path: String

  private static let longestOutput = 4 * 1_048_576

  static let commonArguments = ["-hide_banner", "-nostdin", "-v", "error"]

  /// Finds the program.
  ///
  /// - Parameter searchPath: folders with colons between, as in `PATH`.
  public init(searchPath: String) throws(ExportError) {
    guard let path = ProgramSearch.absolutePath(of: "ffmpeg", in: searchPath) else { throw .ffmpegMissing }
    self.path = path
  }

  /// Checks that the program can make the format.
  func check(_ format: ExportFormat) throws(ExportError) {
    let names = try encoders()
    let missing = format.encoders.filter { !names.contains($0) }
    guard missing.isEmpty else { throw .encoderMissing(missing) }
  }

  /// The names in the second column of what it says about its encoders.
  private func encoders() throws(ExportError) -> Set<String> {
    let output = try output(["-hide_banner", "-v", "error", "-encoders"], errors: STDERR_FILENO)
    let lines = output.split(separator: "\n")
    return Set(lines.compactMap { $0.split(separator: " ", maxSplits: 2).dropFirst().first.map { String($0) } })
  }

  /// Runs the program to its end, with every reader's bytes on a descriptor of its own from `SideBySide.firstInput` on.
  ///
  /// - Parameter onTurn: called a few times a second; what it throws ends the program.
  func run(_ arguments: [String], feeding readers: [ArchiveTrackReader], onTurn: () throws -> Void) throws {
    var feeders: [InputFeeder] = []
    for reader in readers { feeders.append(try InputFeeder(reader)) }
    let child = try started(arguments) { process throws(ChildProcess.StartFailure) in
      try process.start(.init(error: STDERR_FILENO), inputs: feeders.map(\.childDescriptor))
    }
    for feeder in feeders { feeder.closeChildEnd() }
    while InputFeeder.feed(feeders) { try onTurn() }
    try Self.check(try child.wait(whileRunning: onTurn))
  }

  /// Runs the program, which says little, and returns that.
  ///
  /// - Parameter errors: where its standard error goes; without, it is returned as well.
  private func output(_ arguments: [String], errors: CInt? = nil) throws(ExportError) -> String {
    let (outcome, output) = try started(arguments) { process throws(ChildProcess.StartFailure) in
      try process.output(.init(error: errors), maximumBytes: Self.longestOutput)
    }
    try Self.check(outcome)
    return output.text
  }

  /// In the environment and folder of this process, and without limit in time.
  private func started<Result>(
    _ arguments: [String], _ start: (ChildProcess) throws(ChildProcess.StartFailure) -> Result
  ) throws(ExportError) -> Result {
    do throws(ChildProcess.StartFailure) {
      return try start(ChildProcess(command: [path] + arguments, environment: nil, timeout: nil))
    } catch {
      throw .system(path: error.path, errno: error.code)
    }
  }

  private static func check(_ outcome: ChildProcess.Outcome) throws(ExportError) {
    switch outcome {
    case .exited(status: 0): break
    case .exited(let status): throw .ffmpegFailed(status: status)
    case .signalled(let signal): throw .ffmpegFailed(status: 128 + signal)
    case .timedOut: throw .ffmpegFailed(status: 128 + SIGTERM)
    }
  }
}

// MARK: - What it has made

extension FFmpeg {
  /// Video has 30 frames a second, and audio may end a little after it.
  private static let tolerance: Int64 = 500

  /// Reads a file that was rendered to its end: that the program was content with it is no proof.
  ///
  /// - Parameter duration: of the video, in milliseconds.
  func check(_ file: String, hasSound: Bool, duration: Int64) throws(ExportError) {
    let read = try copy("0:v:0", of: file)
    guard read >= duration - Self.tolerance else {
      throw .notWhole("its video lasts \(read) ms of \(duration) ms")
    }
    if hasSound { _ = try copy("0:a:0", of: file, ["-t", "1"]) }
  }

  /// Reads a stream without decoding it. A file that ends too early is complained about, and no failure to the program.
  ///
  /// - Returns: where it ends, in milliseconds.
  private func copy(_ stream: String, of file: String, _ limit: [String] = []) throws(ExportError) -> Int64 {
    let output = ["-c", "copy"] + limit + ["-progress", "pipe:1", "-f", "null", "-"]
    let report: String
    do {
      report = try self.output(
        Self.commonArguments + ["-xerror", "-i", "file:" + file, "-map", stream] + output)
    } catch {
      guard case .ffmpegFailed = error else { throw error }
      throw .notWhole("stream \(stream) cannot be read")
    }
    let lines = report.split(separator: "\n")
    if let complaint = lines.first(where: { !Self.isProgress($0) }) {
      throw .notWhole("stream \(stream): \(complaint.prefix(200))")
    }
    let key = "out_time_us="
    let times = lines.filter { $0.hasPrefix(key) }
    return times.last.flatMap { Int64($0.dropFirst(key.count)) }.map { $0 / 1_000 } ?? 0
  }

  /// Whether a line is one of `-progress`: a name in lower case, `=` and a value.
  private static func isProgress(_ line: Substring) -> Bool {
    guard let end = line.firstIndex(of: "="), end > line.startIndex else { return false }
    return line[..<end].utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "_")
    }
  }
}
