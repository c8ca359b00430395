import Signalling

/// What the hub may ask for: what ``Signalling/RequestEvent/path`` names, and nothing else.
enum ArchiveRequestPath: Equatable {
  case list
  case manifest(archiveID: ArchiveID)
  case file(archiveID: ArchiveID, name: String)
  /// A part of a stream, as a file of its own.
  case clip(archiveID: ArchiveID, name: String, ArchiveSpan)
  /// An image that shows what an archive is of.
  case thumbnail(archiveID: ArchiveID)
  case change(archiveID: ArchiveID, ArchiveChange)
  /// Of which cameras there are snapshots.
  case cameras
  case snapshot(CameraName)
  /// One page; see ``TimelineProviding/events(in:after:)``.
  case events(TimelineSpan, after: EventCursor?)
  case eventImage(DetectedEventID)
  case recordings(TimelineSpan)
  /// Whether a manual recording runs; it is started or stopped before, unless nil.
  case recording(isWanted: Bool?)

  init?(_ path: String) {
    guard path.utf8.count <= 512 else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    let rest = Array(parts.dropFirst())
    let known: Self? =
      switch parts[0] {
      case "archives": Self(archive: rest)
      case "events": Self(event: rest)
      case "recording": Self(recording: rest)
      case "recordings" where rest.count == 1: TimelineSpan(rest[0]).map { .recordings($0) }
      case "cameras" where rest.isEmpty: .cameras
      case "snapshot" where rest.isEmpty: .snapshot(.main)
      case "snapshot" where rest.count == 1: CameraName(rest[0]).map { .snapshot($0) }
      default: nil
      }
    guard let known else { return nil }
    self = known
  }

  private init?(archive parts: [String]) {
    guard let first = parts.first else {
      self = .list
      return
    }
    guard let archiveID = ArchiveID(first) else { return nil }
    switch parts.count {
    case 1: self = .manifest(archiveID: archiveID)
    case 2 where parts[1] == "thumbnail": self = .thumbnail(archiveID: archiveID)
    case 3... where parts[1] == "change":
      guard let change = ArchiveChange(parts[2...].joined(separator: "/")) else { return nil }
      self = .change(archiveID: archiveID, change)
    case 4 where parts[2] == "clip" && Identifier.isValidFileName(parts[1]):
      guard let span = ArchiveSpan(clip: parts[3]) else { return nil }
      self = .clip(archiveID: archiveID, name: parts[1], span)
    case 2 where Identifier.isValidFileName(parts[1]): self = .file(archiveID: archiveID, name: parts[1])
    default: return nil
    }
  }

  private init?(recording parts: [String]) {
    switch parts {
    case []: self = .recording(isWanted: nil)
    case ["start"]: self = .recording(isWanted: true)
    case ["stop"]: self = .recording(isWanted: false)
    default: return nil
    }
  }

  private init?(event parts: [String]) {
    switch parts.count {
    case 1:
      guard let span = TimelineSpan(parts[0]) else { return nil }
      self = .events(span, after: nil)
    case 2 where parts[1] == "picture":
      guard let id = DetectedEventID(parts[0]) else { return nil }
      self = .eventImage(id)
    case 3 where parts[1] == "after":
      guard let span = TimelineSpan(parts[0]), let cursor = EventCursor(parts[2]) else { return nil }
      self = .events(span, after: cursor)
    default: return nil
    }
  }
}
