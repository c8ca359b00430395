import Signalling

/// What the hub may ask for: `archives`, `archives/{archiveID}`, `archives/{archiveID}/{file}` or `snapshot`, and nothing
/// else.
enum ArchiveRequestPath: Equatable {
  case list
  case manifest(archiveID: ArchiveID)
  case file(archiveID: ArchiveID, name: String)
  case snapshot

  init?(_ path: String) {
    guard path.utf8.count <= 512 else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    if parts == ["snapshot"] {
      self = .snapshot
      return
    }
    guard parts.first == "archives" else { return nil }
    switch parts.count {
    case 1:
      self = .list
    case 2:
      guard let archiveID = ArchiveID(parts[1]) else { return nil }
      self = .manifest(archiveID: archiveID)
    case 3 where Identifier.isValidFileName(parts[2]):
      guard let archiveID = ArchiveID(parts[1]) else { return nil }
      self = .file(archiveID: archiveID, name: parts[2])
    default:
      return nil
    }
  }
}
