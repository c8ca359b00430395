import ArgumentParser
import ControlMessages

struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Records calls, and manages recordings.",
    subcommands: [
      ArchiveStart.self, ArchiveStop.self, ArchiveList.self, ArchiveShow.self, ArchiveVerify.self, ArchiveRepair.self,
      ArchiveExportCommand.self, ArchiveRename.self, ArchiveLock.self, ArchiveUnlock.self, ArchiveDelete.self,
    ])
}

struct ArchiveStart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Records one call, or all that are up.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id; all sessions without it.", completion: Completions.sessions) var session: String?
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let reply = try connection.withClient { client throws(ControlClientError) in
      try client.call(.archiveStart, ArchiveStartParameters(sessionID: session))
    }
    if json { return try Output.printJSON(reply) }
    for id in reply.archiveIDs { Output.printLine(id) }
  }
}

struct ArchiveStop: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "stop", abstract: "Stops one recording, or all.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The archive's id; all that run without it.", completion: Completions.archives) var archive: String?
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let reply = try connection.withClient { client throws(ControlClientError) in
      try client.call(.archiveStop, ArchiveParameters(archiveID: archive))
    }
    if json { return try Output.printJSON(reply) }
    for id in reply.archiveIDs { Output.printLine(id) }
  }
}
