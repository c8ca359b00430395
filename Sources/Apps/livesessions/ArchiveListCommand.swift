import ArchiveInspection
import ArgumentParser
import ControlMessages

struct ArchiveList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists recordings, the newest first.",
    discussion: "The columns are id, start, duration, size, status, whether it is locked, and name.")

  @OptionGroup var source: ArchiveSource
  @Option(help: "At most so many.") var limit = 1_000
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let archives = try archives()
    if json { return try Output.printJSON(archives) }
    Output.printTable(archives.map { row($0) })
  }

  private func row(_ archive: ArchiveSummary) -> [String] {
    let status = archive.reason.isEmpty ? archive.status : "\(archive.status) (\(archive.reason))"
    return [
      archive.archiveID, Output.time(archive.createdAt), Output.duration(archive.duration), Output.bytes(archive.size),
      status, archive.isLocked ? "locked" : "-", archive.name,
    ]
  }

  private func archives() throws -> [ArchiveSummary] {
    try source.ask { client throws(ControlClientError) in
      try client.call(.archiveList, ArchiveListParameters(limit: limit), as: ArchiveListReply.self).archives
    } inFolder: { inspection throws(DeviceControlError) in
      try inspection.summaries(limit: limit)
    }
  }
}

struct ArchiveVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Reads one recording, or all, through; exits with 1 if one has a problem.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id; all without it.") var archive: String?
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let reports = try reports()
    if json {
      try Output.printJSON(reports)
    } else {
      for report in reports { show(report) }
    }
    guard reports.allSatisfy(\.problems.isEmpty) else { throw ExitCode(Failure.general) }
  }

  private func show(_ report: ArchiveReport) {
    Output.printLine("\(report.archiveID) \(report.problems.isEmpty ? "good" : "has problems:")")
    for problem in report.problems { Output.printLine("  \(problem)") }
  }

  private func reports() throws -> [ArchiveReport] {
    try source.ask { client throws(ControlClientError) in
      // Reading many gigabytes takes as long as it takes.
      try client.call(
        .archiveVerify, ArchiveParameters(archiveID: archive), timeout: .zero, as: ArchiveVerifyReply.self
      ).reports
    } inFolder: { inspection throws(DeviceControlError) in
      try inspection.reports(archiveID: archive)
    }
  }
}
