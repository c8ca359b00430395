import ArchiveReading
import ArgumentParser
import ControlMessages

struct ArchiveRepair: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Repairs a recording, and says what that took.",
    discussion: """
      Cuts torn ends off, writes missing indexes, and brings the manifest in line with the files. The daemon does the same \
      after a power cut when it starts. A recording in progress is left alone.
      """)

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let result = try source.ask { client throws(ControlClientError) in
      try client.call(
        .archiveRepair, OneArchiveParameters(archiveID: archive), timeout: .zero
      ).result
    } inFolder: { inspection throws(DeviceControlError) in
      try inspection.repair(archiveID: archive)
    }
    if json { return try Output.printJSON(result) }
    if result.changes.isEmpty { Output.printLine("nothing to repair") }
    for change in result.changes { Output.printLine(change) }
    for note in result.notes ?? [] { Output.printLine("note: \(note)") }
  }
}

struct ArchiveRename: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "rename", abstract: "Gives a recording a name.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String
  @Argument(help: "At most 128 bytes; empty to take the name away.") var name: String

  func run() throws {
    try source.change(.archiveRename, ArchiveRenameParameters(archiveID: archive, name: name)) {
      inspection throws(DeviceControlError) in try inspection.rename(archiveID: archive, name: name)
    }
  }
}

struct ArchiveLock: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Protects a recording from deletion, even one in progress.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String

  func run() throws { try source.setLocked(archive, true) }
}

struct ArchiveUnlock: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Lets a recording be deleted again.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archive's id.", completion: Completions.archives) var archive: String

  func run() throws { try source.setLocked(archive, false) }
}

struct ArchiveDelete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Deletes recordings that have ended and are not locked.")

  @OptionGroup var source: ArchiveSource
  @Argument(help: "The archives' ids.", completion: Completions.archives) var archives: [String]
  @Flag(help: "Delete locked ones too.") var force = false

  func run() throws {
    for archive in archives {
      let parameters = ArchiveDeleteParameters(archiveID: archive, isForced: force)
      try source.change(.archiveDelete, parameters) { inspection throws(DeviceControlError) in
        try inspection.delete(archiveID: archive, isForced: force)
      }
    }
  }
}
