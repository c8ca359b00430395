import ArgumentParser
import CommandSuggestions
import ControlMessages
import Glibc
import MediaCore
import Signalling

struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "What the device has noticed, and what its rules make of that.",
    subcommands: [EventsList.self, EventsExplain.self], defaultSubcommand: EventsList.self)
}

struct EventsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists what the device has noticed, the newest last.",
    discussion: """
      With --watch it continues with new events and their ends, until interrupted. With --clips it lists the recordings that \
      show the events, each with the place at which the event begins; recordings that have been deleted are left out.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var period: PeriodOptions
  @Option(help: "The maximum number, the newest first.") var limit = 100
  @Flag(help: "Continue with new events.") var watch = false
  @Flag(help: "List the recordings that show the events, and where in them.") var clips = false
  @Flag(help: "Print one JSON object a line.") var json = false

  func run() throws {
    let events = try newest()
    if events.count == limit {
      Output.printNote("the newest \(limit) events, as many as --limit permits; there may be more")
    }
    if clips { return try showClips(of: events.reversed()) }
    show(Array(events.reversed()), hasHeader: true)
    if watch { try watchEvents() }
  }

  func validate() throws {
    guard (1...EventListParameters.maxEvents).contains(limit) else {
      throw ValidationError("--limit is 1 to \(EventListParameters.maxEvents)")
    }
    if watch, clips { throw ValidationError("--clips lists what is recorded: leave --watch out") }
    if watch, period.until != nil { throw ValidationError("--watch continues into the future: leave --until out") }
  }

  /// The newest first. The daemon knows no end of a period, so it is asked for all that may be before one.
  private func newest() throws -> [DetectedEvent] {
    let asked = period.until == nil ? limit : EventListParameters.maxEvents
    let events = try list(EventListParameters(since: period.since?.milliseconds, limit: asked))
    return Array(events.lazy.filter { period.contains($0.start) }.prefix(limit))
  }

  private func list(_ parameters: EventListParameters) throws -> [DetectedEvent] {
    try connection.withClient { client throws(ControlClientError) in
      try client.call(.eventList, parameters).events
    }
  }

  /// What the monitor names is looked up, so that all is shown in the same way.
  private func watchEvents() throws {
    try connection.withClient { client throws(ControlClientError) in
      try client.monitor { event in
        guard let id = event.eventID, event.name.hasPrefix("event.") else { return true }
        let newest = (try? list(EventListParameters(limit: Self.maxSearched))) ?? []
        show(newest.filter { $0.id == id }, hasHeader: false)
        return true
      }
      throw .disconnected
    }
  }

  private static let maxSearched = 100

  /// Without those that have been deleted.
  private func archives(of events: [DetectedEvent]) throws -> [String: ArchiveDetail] {
    try connection.withClient { client throws(ControlClientError) in
      var archives: [String: ArchiveDetail] = [:]
      for id in Set(events.flatMap { $0.archives ?? [] }) {
        do throws(ControlClientError) {
          archives[id] = try client.call(.archiveShow, OneArchiveParameters(archiveID: id)).detail
        } catch {
          guard case .refused(.noSuchArchive) = error else { throw error }
        }
      }
      return archives
    }
  }

  private func showClips(of events: [DetectedEvent]) throws {
    let clips = EventClips.clips(of: events, in: try archives(of: events))
    if json { return try clips.forEach { try Output.printJSON($0) } }
    let rows = clips.map { clip in
      [
        Output.time(clip.start), clip.duration.map { Output.milliseconds($0) } ?? "-", clip.kind, clip.source,
        clip.archiveID, Output.milliseconds(clip.offset),
      ]
    }
    Output.printTable(
      [["STARTED", "LASTED", "KIND", "SOURCE", "ARCHIVE", "OFFSET"]] + rows, hasHeader: true, shortened: [3, 2])
  }

  private func show(_ events: [DetectedEvent], hasHeader: Bool) {
    guard !json else { return events.forEach { _ = try? Output.printJSON($0) } }
    let header = ["STARTED", "LASTED", "KIND", "SOURCE", "SCORE", "REGION", "IMAGE"]
    Output.printTable((hasHeader ? [header] : []) + events.map(row), hasHeader: hasHeader, shortened: [6, 5, 3])
  }

  private func row(_ event: DetectedEvent) -> [String] {
    let region = event.region.map { "\($0.width / 10)x\($0.height / 10) % at \($0.x / 10),\($0.y / 10)" }
    let kind = event.kind + (event.detail.map { " (\($0))" } ?? "")
    return [
      Output.time(event.start) + (event.clockSynchronized ? "" : " (clock not set)"), lasted(event), kind,
      event.source + (event.camera.map { ", camera \($0)" } ?? ""), "\(event.score)", region ?? "-",
      event.picture ?? "-",
    ]
  }

  private func lasted(_ event: DetectedEvent) -> String {
    guard let end = event.end else { return event.isInterrupted == true ? "interrupted" : "ongoing" }
    return Output.duration(end.saturatingSubtracting(event.start) / 1_000)
  }
}
