import Archive
import ArchiveInspection
import ArgumentParser
import ControlMessages
import Glibc

struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Records calls, lists recordings and checks them.",
    subcommands: [ArchiveStart.self, ArchiveStop.self, ArchiveList.self, ArchiveVerify.self])
}

struct ArchiveStart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Records one call, or all that are up.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id; all sessions without it.") var session: String?

  func run() throws {
    let reply = try connection.withClient { client throws(ControlClientError) in
      try client.call(.archiveStart, ArchiveStartParameters(sessionID: session), as: ArchiveIDsReply.self)
    }
    for id in reply.archiveIDs { Output.printLine(id) }
  }
}

struct ArchiveStop: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "stop", abstract: "Stops one recording, or all.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The archive's id; all that run without it.") var archive: String?

  func run() throws {
    let reply = try connection.withClient { client throws(ControlClientError) in
      try client.call(.archiveStop, ArchiveParameters(archiveID: archive), as: ArchiveIDsReply.self)
    }
    for id in reply.archiveIDs { Output.printLine(id) }
  }
}

/// Where archives are looked at: through the daemon, or in their folder when it is down.
struct ArchiveSource: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @Option(help: "Read this archives folder without the daemon.") var directory: String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if let directory, access(directory, R_OK | X_OK) != 0 {
      throw ValidationError("cannot read the folder \(directory)")
    }
  }

  var inspection: ArchiveInspection? { directory.map { ArchiveInspection(store: ArchiveStore(root: $0)) } }
}

struct ArchiveList: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists recordings, the newest first.")

  @OptionGroup var source: ArchiveSource
  @Option(help: "At most so many.") var limit = 1_000

  func run() throws {
    let archives = try archives()
    if source.json { return try Output.printJSON(archives) }
    Output.printTable(
      archives.map { archive in
        let status = archive.reason.isEmpty ? archive.status : "\(archive.status) (\(archive.reason))"
        return [
          archive.archiveID, Output.time(archive.createdAt), Output.duration(archive.duration),
          Output.bytes(archive.size), status,
        ]
      })
  }

  private func archives() throws -> [ArchiveSummary] {
    guard let inspection = source.inspection else {
      return try source.connection.withClient { client throws(ControlClientError) in
        try client.call(.archiveList, ArchiveListParameters(limit: limit), as: ArchiveListReply.self).archives
      }
    }
    do {
      return try inspection.summaries(limit: limit)
    } catch {
      throw Failure(error.description).reported()
    }
  }
}

struct ArchiveVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Reads one recording, or all, through; exits with 1 if one has a problem.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id; all without it.") var archive: String?

  func run() throws {
    let reports = try reports()
    if source.json {
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
    guard let inspection = source.inspection else {
      // Reading many gigabytes takes as long as it takes.
      return try source.connection.withClient { client throws(ControlClientError) in
        try client.call(
          .archiveVerify, ArchiveParameters(archiveID: archive), timeout: .zero, as: ArchiveVerifyReply.self
        ).reports
      }
    }
    do {
      return try inspection.reports(archiveID: archive)
    } catch {
      throw Failure(error.description).reported()
    }
  }
}
