import Archive
import ArchiveReading
import ArgumentParser
import ControlMessages
import Glibc
import OpenSSLCrypto
import Signalling

struct ArchiveExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Makes one file of a recording.",
    discussion: """
      The file's suffix chooses the container. A .webm or .mkv joins all segments and both parties, with a video and an \
      audio track each, without re-encoding. For .mp4, and with --side-by-side for all, ffmpeg renders the parties side by \
      side into one video and mixes their audio. Exits with 1 if something had to be omitted; the file is made nevertheless.
      """)

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String
  @Argument(help: "The file to make: .webm, .mkv or .mp4.", completion: .file(extensions: ["webm", "mkv", "mp4"]))
  var file: String?
  @Option(help: ArgumentHelp("The file to make, in place of the argument.", valueName: "path")) var output: String?
  @Flag(help: "Render both parties into one video, through ffmpeg.") var sideBySide = false
  @Flag(help: "Replace the file if there is one.") var force = false
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (file == nil) != (output == nil) else { throw ValidationError("name one file to make") }
  }

  func run() throws {
    let path = file ?? output ?? ""
    let format = try format(of: path)
    let (id, store) = try place()
    Interruption.watch()
    let progress = ProgressLine()
    do {
      let export = ArchiveExport(id, in: store, hashing: OpenSSLCrypto(), verifier: OpenSSLCrypto())
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
  private func place() throws -> (ArchiveID, ArchiveStore) {
    let found = try source.detail(archive).archive
    guard let id = ArchiveID(found.archiveID), let store = found.path.flatMap({ ArchiveStore(archivePath: $0) }) else {
      throw Failure("the daemon does not say where archive \(archive) lies; use --directory").reported()
    }
    return (id, store)
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
