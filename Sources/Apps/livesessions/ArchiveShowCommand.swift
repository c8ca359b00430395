import ArgumentParser
import ControlMessages

struct ArchiveShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows everything about one recording.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let detail = try source.detail(archive)
    if json { return try Output.printJSON(detail) }
    Output.printTable(facts(detail))
    Output.printLine("files:")
    Output.printTable(detail.files.map { file($0) } + detail.otherFiles.map { ["  \($0)"] })
    guard !detail.problems.isEmpty else { return }
    Output.printLine("problems:")
    for problem in detail.problems { Output.printLine("  \(problem)") }
  }

  private func facts(_ detail: ArchiveDetail) -> [[String]] {
    let archive = detail.archive
    let status = archive.reason.isEmpty ? archive.status : "\(archive.status) (\(archive.reason))"
    let clock = detail.clockSynchronized ? "" : " (the clock was not set)"
    return [
      ["id", archive.archiveID], ["name", archive.name], ["status", status + (detail.isInUse ? ", in use" : "")],
      ["locked", archive.isLocked ? "yes" : "no"], ["uploaded", archive.isUploaded == true ? "yes" : ""],
      ["started", Output.time(archive.createdAt) + clock],
      ["duration", Output.duration(archive.duration)], ["size", Output.bytes(archive.size)],
      ["session", archive.sessionID], ["caller", detail.callerID ?? ""], ["rule", detail.policyRule ?? ""],
      ["plans", (detail.plans ?? []).joined(separator: ", ")],
      ["time-lapse", detail.timeLapseInterval.map { "a frame each \(Output.milliseconds($0))" } ?? ""],
      ["folder", archive.path ?? ""],
    ].filter { !$0[1].isEmpty }
  }

  private func file(_ file: ArchiveFileDetail) -> [String] {
    [
      "  \(file.filename)", file.camera.map { "camera \($0)" } ?? file.streamID,
      "\(Output.milliseconds(file.startTimeOffset)) - \(Output.milliseconds(file.stopTimeOffset))",
      file.size.map { Output.bytes($0) } ?? "missing", file.tracks.map { track($0) }.joined(separator: ", "),
    ]
  }

  private func track(_ track: ArchiveTrackDetail) -> String {
    let codec = ["V_VP8": "VP8", "A_OPUS": "Opus"][track.codec] ?? track.codec
    if let width = track.width, let height = track.height { return "\(codec) \(width)x\(height)" }
    return codec + (track.channels.map { $0 == 1 ? " mono" : " stereo" } ?? "")
  }
}
