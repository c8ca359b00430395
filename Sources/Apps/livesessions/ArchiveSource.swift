import Archive
import ArchiveReading
import ArgumentParser
import ControlMessages
import Glibc

/// How archives are accessed: through the daemon, or in their folder without it.
struct ArchiveSource: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @Option(help: ArgumentHelp("Work in this archives folder without the daemon.", valueName: "path"))
  var directory: String?

  func validate() throws {
    if let directory, access(directory, R_OK | X_OK) != 0 {
      throw ValidationError("cannot read the folder \(directory)")
    }
  }

  /// Asks the daemon, or does the same in the folder.
  func ask<Result>(
    _ daemon: (inout ControlClient) throws(ControlClientError) -> Result,
    inFolder: (ArchiveInspection) throws(DeviceControlError) -> Result
  ) throws -> Result {
    guard let directory else { return try connection.withClient(daemon) }
    do {
      return try inFolder(ArchiveInspection(store: ArchiveStore(root: directory)))
    } catch {
      throw Failure(error.description).reported()
    }
  }

  func detail(_ archiveID: String) throws -> ArchiveDetail {
    try ask { client throws(ControlClientError) in
      try client.call(.archiveShow, OneArchiveParameters(archiveID: archiveID)).detail
    } inFolder: { inspection throws(DeviceControlError) in
      try inspection.detail(archiveID: archiveID)
    }
  }
}

extension ArchiveSource {
  /// Calls a method that returns nothing, or does the same in the folder.
  func change<Parameters>(
    _ method: DeviceMethod<Parameters, NoParameters>, _ parameters: Parameters,
    inFolder: (ArchiveInspection) throws(DeviceControlError) -> Void
  ) throws {
    try ask(
      { client throws(ControlClientError) in
        _ = try client.call(method, parameters)
      }, inFolder: inFolder)
  }

  func setLocked(_ archiveID: String, _ isLocked: Bool) throws {
    try change(.archiveLock, ArchiveLockParameters(archiveID: archiveID, isLocked: isLocked)) {
      inspection throws(DeviceControlError) in try inspection.setLocked(archiveID: archiveID, isLocked)
    }
  }
}
