import ArchiveReading
import ArgumentParser
import CommandSuggestions
import ControlMessages
import Glibc
import MediaCore

struct ArchiveList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists recordings, the newest first.",
    discussion:
      """
      CAUSE is the call and with whom, the event and the recording plan, or manual. On a terminal it shortens each id to a \
      unique prefix, which every command takes, and cuts what else does not fit. --json has times in UTC.
      """
  )

  @OptionGroup var source: ArchiveSource
  @OptionGroup var period: PeriodOptions
  @Option(help: "The maximum number.") var limit = 1_000
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let list = try list()
    let archives = list.archives
    if let total = list.total, total > archives.count, !period.isLimited {
      Output.printNote("\(archives.count) of \(total) recordings, the newest; --limit \(total) lists all")
    }
    if json { return try Output.printJSON(archives) }
    // A script that reads the list gets ids that stay good when others come.
    let idLength = isatty(STDOUT_FILENO) == 0 ? .max : IdentifierPrefix.distinctLength(archives.map(\.archiveID))
    let header = ["ID", "STARTED", "DURATION", "SIZE", "CAUSE", "STATUS", "LOCKED", "UPLOADED", "NAME"]
    let cause = cause(archives)
    Output.printTable(
      [header] + archives.map { row($0, idLength, cause.text(of: $0)) }, hasHeader: true, shortened: [5, 8, 4])
  }

  /// A daemon that cannot say more leaves ids and plans, as a folder does.
  private func cause(_ archives: [ArchiveSummary]) -> ArchiveCause {
    guard source.directory == nil, var client = try? ControlClient(path: source.connection.path) else {
      return ArchiveCause()
    }
    let isCall = archives.contains { !$0.sessionID.isEmpty }
    let users = isCall ? try? client.call(.users, timeout: .seconds(3)).users : nil
    let oldest = archives.lazy.filter { $0.plans?.isEmpty == false }.map(\.createdAt).min()
    let events = oldest.flatMap { oldest in
      let parameters = EventListParameters(
        since: oldest.saturatingSubtracting(60_000), limit: EventListParameters.maxEvents)
      return try? client.call(.eventList, parameters, timeout: .seconds(3)).events
    }
    return ArchiveCause(users: users ?? [], events: events ?? [])
  }

  private func row(_ archive: ArchiveSummary, _ idLength: Int, _ cause: String) -> [String] {
    let status = archive.reason.isEmpty ? archive.status : "\(archive.status) (\(archive.reason))"
    return [
      String(archive.archiveID.prefix(idLength)), Output.time(archive.createdAt), Output.duration(archive.duration),
      Output.bytes(archive.size), cause, status, archive.isLocked ? "locked" : "-",
      archive.isUploaded == true ? "uploaded" : "-", archive.name,
    ]
  }

  /// Of a period, as many are asked for as it takes to reach its beginning.
  private func list() throws -> ArchiveListReply {
    guard period.isLimited else { return try newest(limit) }
    var asked = max(limit, 1_000)
    while true {
      let list = try newest(asked)
      let found = list.archives.lazy.filter { period.contains($0.createdAt) }.prefix(limit)
      let isBeyond = list.archives.last.map { $0.createdAt < period.since?.milliseconds ?? .min } ?? true
      if found.count == limit || isBeyond || list.archives.count < asked || asked == Self.maximum {
        return ArchiveListReply(archives: Array(found))
      }
      asked = min(Self.maximum, asked.saturatingMultiplied(by: 10))
    }
  }

  /// What the daemon returns at most.
  private static let maximum = 100_000

  private func newest(_ count: Int) throws -> ArchiveListReply {
    try source.ask { client throws(ControlClientError) in
      try client.call(.archiveList, ArchiveListParameters(limit: count))
    } inFolder: { inspection throws(DeviceControlError) in
      ArchiveListReply(archives: try inspection.summaries(limit: count), total: try inspection.count())
    }
  }
}

struct ArchiveVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Reads one recording, or all, through; exits with 1 if one has a problem.",
    discussion: """
      With --evidence it compares a folder, on whatever machine, with what the device signed, and exits with 0 (whole), 1 \
      (changed, or --tsa-ca without a time stamp that holds), 2 (cut: the recording was interrupted), 3 (foreign: of \
      another archive or device, or certified by none of the hub's keys) or 4 (no evidence).
      """)

  @OptionGroup var source: ArchiveSource
  @OptionGroup var evidence: EvidenceOptions
  @Argument(help: "The archive's id; all without it.", completion: Completions.archives) var archive: String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if evidence.evidence != nil, archive != nil || source.directory != nil {
      throw ValidationError("--evidence names the archive's folder itself: leave the id and --directory out")
    }
  }

  func run() throws {
    if let path = evidence.evidence { return try evidence.verify(path, among: source.connection, json: json) }
    let reports = try reports()
    if json {
      try Output.printJSON(reports)
    } else {
      for report in reports { show(report) }
    }
    guard reports.allSatisfy(\.problems.isEmpty) else { throw ExitCode(Failure.general) }
  }

  private func show(_ report: ArchiveReport) {
    let isGood = report.problems.isEmpty
    Output.printStyled("\(report.archiveID) \(isGood ? "good" : "has problems:")", isGood ? .good : .alarm)
    for problem in report.problems { Output.printLine("  \(problem)") }
    for note in report.notes ?? [] { Output.printLine("  note: \(note)") }
  }

  private func reports() throws -> [ArchiveReport] {
    try source.ask { client throws(ControlClientError) in
      // Reading many gigabytes takes as long as it takes.
      try client.call(
        .archiveVerify, ArchiveParameters(archiveID: archive), timeout: .zero
      ).reports
    } inFolder: { inspection throws(DeviceControlError) in
      try inspection.reports(archiveID: archive)
    }
  }
}
