/// What can be asked about one archive that lies on the disk.
///
/// - Throws: ``DeviceControlError/noSuchArchive(_:)``, ``DeviceControlError/archiveInUse(_:)``,
///   ``DeviceControlError/archiveLocked(_:)`` …
public protocol ArchiveAdministration: Sendable {
  /// Everything about one archive that is known without reading it through.
  func showArchive(archiveID: String) async throws -> ArchiveDetail
  /// Makes one archive whole that is not in use.
  func repairArchive(archiveID: String) async throws -> ArchiveRepairResult
  /// Keeps an archive from being deleted, or lets it be deleted again.
  func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws
  /// Gives an archive another name.
  func renameArchive(archiveID: String, name: String) async throws
  /// Deletes an archive that is not in use; a locked one only if it `isForced`.
  func deleteArchive(archiveID: String, isForced: Bool) async throws
}

/// What the methods about archives have the daemon do.
public protocol ArchiveMethods: ArchiveAdministration {
  /// Starts recording one session, or all that are up; returns the new archives' ids.
  func startArchive(sessionID: String?) async throws -> [String]
  /// Stops one archive, or all that run; returns the ids of those that were stopped.
  func stopArchive(archiveID: String?) async throws -> [String]
  /// The archives on this device, newest first, at most `limit`.
  func archives(limit: Int) async throws -> [ArchiveSummary]
  /// How many archives there are on this device.
  func archiveCount() async throws -> Int
  /// Verifies one archive, or all, and reports what is wrong.
  func verifyArchives(archiveID: String?) async throws -> [ArchiveReport]
}

extension MethodTable {
  static let archives: [InterfaceMethod] = [
    InterfaceMethod(.archiveStart, .full, "Records one session, or all that are up.") {
      ArchiveIDsReply(archiveIDs: try await $0.startArchive(sessionID: $1.sessionID))
    },
    InterfaceMethod(.archiveStop, .full, "Stops one archive, or all that run.") {
      ArchiveIDsReply(archiveIDs: try await $0.stopArchive(archiveID: $1.archiveID))
    },
    InterfaceMethod(
      .archiveList, .monitoring,
      "The newest archives first, 1000 unless limited otherwise; total is how many there are."
    ) { control, parameters in
      let limit = parameters.limit ?? 1_000
      guard (1...100_000).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
      let archives = try await control.archives(limit: limit)
      // A list that is not full has all.
      let total = archives.count < limit ? archives.count : try await control.archiveCount()
      return ArchiveListReply(archives: archives, total: total)
    },
    InterfaceMethod(.archiveVerify, .full, "Reads one archive, or all, through.") {
      ArchiveVerifyReply(reports: try await $0.verifyArchives(archiveID: $1.archiveID))
    },
    InterfaceMethod(.archiveShow, .full, "Everything that is known without reading the archive through.") {
      ArchiveShowReply(detail: try await $0.showArchive(archiveID: $1.archiveID))
    },
    InterfaceMethod(.archiveRepair, .full, "Makes an archive whole that is not in use.") {
      ArchiveRepairReply(result: try await $0.repairArchive(archiveID: $1.archiveID))
    },
    InterfaceMethod(
      .archiveLock, "Keeps an archive from being deleted, also while it is recorded; or lets it be deleted again."
    ) { try await $0.setArchiveLocked(archiveID: $1.archiveID, $1.isLocked) },
    InterfaceMethod(.archiveRename, "The name has at most 128 bytes and no control characters.") {
      try await $0.renameArchive(archiveID: $1.archiveID, name: $1.name)
    },
    InterfaceMethod(.archiveDelete, "Deletes an archive that is not in use; a locked one only by force.") {
      try await $0.deleteArchive(archiveID: $1.archiveID, isForced: $1.isForced ?? false)
    },
  ]
}

extension DeviceMethod<ArchiveStartParameters, ArchiveIDsReply> {
  public static var archiveStart: Self { Self("ArchiveStart") }
}

extension DeviceMethod<ArchiveParameters, ArchiveIDsReply> {
  public static var archiveStop: Self { Self("ArchiveStop") }
}

extension DeviceMethod<ArchiveListParameters, ArchiveListReply> {
  public static var archiveList: Self { Self("ArchiveList") }
}

extension DeviceMethod<ArchiveParameters, ArchiveVerifyReply> {
  public static var archiveVerify: Self { Self("ArchiveVerify") }
}

extension DeviceMethod<OneArchiveParameters, ArchiveShowReply> {
  public static var archiveShow: Self { Self("ArchiveShow") }
}

extension DeviceMethod<OneArchiveParameters, ArchiveRepairReply> {
  public static var archiveRepair: Self { Self("ArchiveRepair") }
}

extension DeviceMethod<ArchiveLockParameters, NoParameters> {
  public static var archiveLock: Self { Self("ArchiveLock") }
}

extension DeviceMethod<ArchiveRenameParameters, NoParameters> {
  public static var archiveRename: Self { Self("ArchiveRename") }
}

extension DeviceMethod<ArchiveDeleteParameters, NoParameters> {
  public static var archiveDelete: Self { Self("ArchiveDelete") }
}

public struct ArchiveStartParameters: VarlinkParameters {
  public var sessionID: String?
  public init(sessionID: String? = nil) { self.sessionID = sessionID }
}

public struct ArchiveIDsReply: Codable, Sendable {
  public var archiveIDs: [String]
  public init(archiveIDs: [String]) { self.archiveIDs = archiveIDs }
}

/// The input of `ArchiveStop` and `ArchiveVerify`.
public struct ArchiveParameters: VarlinkParameters {
  public var archiveID: String?
  public init(archiveID: String? = nil) { self.archiveID = archiveID }
}

/// The input of `ArchiveShow` and `ArchiveRepair`.
public struct OneArchiveParameters: VarlinkParameters {
  public var archiveID: String
  public init(archiveID: String) { self.archiveID = archiveID }
}

public struct ArchiveListParameters: VarlinkParameters {
  public var limit: Int?
  public init(limit: Int? = nil) { self.limit = limit }
}

public struct ArchiveListReply: Codable, Sendable {
  public var archives: [ArchiveSummary]
  /// How many there are, listed or not; absent from daemons that do not say so.
  public var total: Int?

  public init(archives: [ArchiveSummary], total: Int? = nil) {
    self.archives = archives
    self.total = total
  }
}

public struct ArchiveVerifyReply: Codable, Sendable {
  public var reports: [ArchiveReport]
  public init(reports: [ArchiveReport]) { self.reports = reports }
}

public struct ArchiveShowReply: Codable, Sendable {
  public var detail: ArchiveDetail
  public init(detail: ArchiveDetail) { self.detail = detail }
}

public struct ArchiveRepairReply: Codable, Sendable {
  public var result: ArchiveRepairResult
  public init(result: ArchiveRepairResult) { self.result = result }
}

public struct ArchiveLockParameters: VarlinkParameters {
  public var archiveID: String
  public var isLocked: Bool

  public init(archiveID: String, isLocked: Bool) {
    self.archiveID = archiveID
    self.isLocked = isLocked
  }
}

public struct ArchiveRenameParameters: VarlinkParameters {
  public var archiveID: String
  /// At most 128 bytes without control characters.
  public var name: String

  public init(archiveID: String, name: String) {
    self.archiveID = archiveID
    self.name = name
  }
}

public struct ArchiveDeleteParameters: VarlinkParameters {
  public var archiveID: String
  /// Deletes a locked one too; no by default.
  public var isForced: Bool?

  public init(archiveID: String, isForced: Bool? = nil) {
    self.archiveID = archiveID
    self.isForced = isForced
  }
}
