import Archive
import ArchiveReading
import ArgumentParser
import CommandSuggestions
import ConfigFile
import ControlMessages
import Glibc
import MediaCore
import OpenSSLCrypto
import Signalling

struct ArchiveExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Makes one file of a recording.",
    discussion: """
      The file's suffix chooses the container. A .webm or .mkv joins all segments and both parties, with a video and an \
      audio track each, without re-encoding. For .mp4, and with --side-by-side for all, ffmpeg renders the parties side by \
      side into one video and mixes their audio. With --from and --to a part is made a file, which without re-encoding \
      begins at the key frame before, up to 10 s earlier; of a recording that continues, a part can be made of what is on the \
      disk so far. Exits with 1 if something had to be omitted; the file is made nevertheless.
      """)

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String
  @Argument(help: "The file to make: .webm, .mkv or .mp4.", completion: .file(extensions: ["webm", "mkv", "mp4"]))
  var file: String?
  @Option(help: ArgumentHelp("The file to make, in place of the argument.", valueName: "path")) var output: String?
  @Option(
    help: "Where the part begins: +1m30s after the recording's start, or a time, \(TimeExpression.examples).",
    transform: ArchiveMoment.parse)
  var from: ArchiveMoment?
  @Option(help: "Where the part ends, written likewise.", transform: ArchiveMoment.parse) var to: ArchiveMoment?
  @Flag(help: "Render both parties into one video, through ffmpeg.") var sideBySide = false
  @Flag(help: "Replace the file if there is one.") var force = false
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (file == nil) != (output == nil) else { throw ValidationError("name one file to make") }
  }

  func run() throws {
    let path = file ?? output ?? ""
    let format = try format(of: path)
    let (id, store, span) = try place()
    Interruption.watch()
    let progress = ProgressLine()
    do {
      let export = ArchiveExport(
        id, in: store, span: span, hashing: OpenSSLCrypto(), verifier: OpenSSLCrypto())
      let result =
        sideBySide || !format.holdsRecordings
        ? try export.renderSideBySide(to: path, replaces: force, ffmpeg: try ffmpeg(), onProgress: progress.show)
        : try export.join(to: path, replaces: force, onProgress: progress.show)
      progress.end()
      try report(result)
    } catch let code as ExitCode {
      throw code
    } catch is CancellationError {
      progress.end()
      throw ExitCode(Interruption.exitCode)
    } catch {
      progress.end()
      throw Failure("\(error)").reported()
    }
  }

  private func format(of path: String) throws -> ExportFormat {
    do {
      return try ExportFormat(path: path)
    } catch {
      throw Failure(error.description).reported()
    }
  }

  private func ffmpeg() throws(ExportError) -> FFmpeg {
    try FFmpeg(searchPath: getenv("PATH").map { String(cString: $0) } ?? "")
  }

  /// The files are read here, also when the daemon says where they are.
  private func place() throws -> (ArchiveID, ArchiveStore, ArchiveSpan?) {
    let found = try source.detail(archive).archive
    guard let id = ArchiveID(found.archiveID), let store = found.path.flatMap({ ArchiveStore(archivePath: $0) }) else {
      throw Failure("the daemon does not say where archive \(archive) lies; use --directory").reported()
    }
    return (id, store, try span(of: found))
  }

  /// Nil for the whole recording.
  private func span(of archive: ArchiveSummary) throws -> ArchiveSpan? {
    guard from != nil || to != nil else { return nil }
    let (start, end) = (from?.offset(since: archive.createdAt) ?? 0, to?.offset(since: archive.createdAt) ?? .max)
    // How long a recording is that continues, its files say.
    if archive.status != ArchiveStatus.started.rawValue, start >= archive.duration.saturatingMultiplied(by: 1_000) {
      let length = Output.duration(archive.duration)
      throw Failure("--from is after the end: the recording is \(length) long").reported()
    }
    guard let span = ArchiveSpan(start: max(0, start), end: min(end, ArchiveSpan.latest)) else {
      throw Failure("--to is not after --from, or before the recording's start").reported()
    }
    return span
  }

  private func report(_ result: ArchiveExport.Result) throws {
    if json {
      try Output.printJSON(ExportSummary(result))
    } else {
      Output.printLine("\(result.path) \(Output.bytes(Int64(clamping: result.byteCount)))")
    }
    for problem in result.problems { _ = Failure("left out: \(problem)").reported() }
    if !result.problems.isEmpty { throw ExitCode(Failure.general) }
  }
}

/// Where in a recording: `+` and a duration from its start, or a time.
enum ArchiveMoment {
  case offset(Int64)
  case time(TimeExpression)

  /// The value of an option.
  static func parse(_ text: String) throws -> ArchiveMoment {
    guard text.hasPrefix("+") else { return .time(try TimeExpression.parse(text)) }
    guard let span = try? ConfigQuantity.duration(String(text.dropFirst())) else {
      throw ValidationError("it is no duration; write for example +1m30s")
    }
    let (seconds, attoseconds) = span.components
    return .offset(seconds.saturatingMultiplied(by: 1_000).saturatingAdding(attoseconds / 1_000_000_000_000_000))
  }

  /// Milliseconds from a recording's start, which is in milliseconds since 1970.
  func offset(since start: Int64) -> Int64 {
    switch self {
    case .offset(let milliseconds): milliseconds
    case .time(let time): time.milliseconds.saturatingSubtracting(start)
    }
  }
}

private struct ExportSummary: Encodable {
  var path: String
  var size: UInt64
  var problems: [String]

  init(_ result: ArchiveExport.Result) {
    path = result.path
    size = result.byteCount
    problems = result.problems
  }
}
