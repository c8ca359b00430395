/// The input of `ArchiveShow` and `ArchiveRepair`.
public struct OneArchiveParameters: VarlinkParameters {
  public var archiveID: String
  public init(archiveID: String) { self.archiveID = archiveID }
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
