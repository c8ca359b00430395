/// What the hub may ask for: `archives`, `archives/{archiveID}` or `archives/{archiveID}/{file}`, and nothing else.
enum ArchivePath: Equatable {
  case list
  case manifest(archiveID: String)
  case file(archiveID: String, name: String)

  init?(_ path: String) {
    guard path.utf8.count <= 512 else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.first == "archives" else { return nil }
    switch parts.count {
    case 1:
      self = .list
    case 2 where Identifier.isValid(parts[1]):
      self = .manifest(archiveID: parts[1])
    case 3 where Identifier.isValid(parts[1]) && Identifier.isValidFileName(parts[2]):
      self = .file(archiveID: parts[1], name: parts[2])
    default:
      return nil
    }
  }
}
