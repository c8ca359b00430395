import FoundationEssentials
import Signalling

/// The journal's account of what operators at the hub viewed: a line for each list, manifest, image and file, as its
/// sending begins, and for each that the configuration denies them.
///
/// A player asks for a file in many pieces, which are one line while they follow each other within some minutes.
struct HubAudit {
  /// Pieces of a file that come later are another line.
  static let interval = Duration.seconds(600)
  /// Files whose ranges are merged; the one that was requested longest ago makes room.
  static let maxFiles = 32

  private struct PlayedFile {
    var title: String
    var askedAt: ContinuousClock.Instant
  }

  /// That asked for last comes last.
  private var files: [PlayedFile] = []

  /// The line for an answer; nil where nothing was to be seen, where it continues a file, and for manual recordings,
  /// which have lines of their own, as changes of archives have.
  ///
  /// - Parameter status: as ``ArchiveAnswer/status`` has it.
  mutating func line(of path: ArchiveRequestPath, status: Int, now: ContinuousClock.Instant) -> String? {
    guard let title = path.title else { return nil }
    switch status {
    case 200, 206: return continuesFile(path, title, now) ? nil : "an operator at the hub was shown \(title)"
    case 403: return "an operator at the hub may not see \(title): [hub] does not allow it"
    default: return nil
    }
  }

  private mutating func continuesFile(
    _ path: ArchiveRequestPath, _ title: String, _ now: ContinuousClock.Instant
  ) -> Bool {
    guard case .file = path else { return false }
    files.removeAll { $0.askedAt.duration(to: now) > Self.interval }
    let isKnown = files.contains { $0.title == title }
    files.removeAll { $0.title == title }
    files = files.suffix(Self.maxFiles - 1) + [PlayedFile(title: title, askedAt: now)]
    return isKnown
  }
}

extension ArchiveRequestPath {
  /// What it asks for, as text; nil where that is nothing to view.
  fileprivate var title: String? {
    switch self {
    case .list: "the list of recordings"
    case .manifest(let id): "the manifest of recording \(id)"
    case .file(let id, let name): "\(name) of recording \(id)"
    case .clip(let id, let name, let span):
      "\(span.start / 1_000) to \((span.end + 999) / 1_000) s of \(name) of recording \(id)"
    case .thumbnail(let id): "an image of recording \(id)"
    case .cameras: "the names of the cameras"
    case .snapshot(.main): "a snapshot of the camera"
    case .snapshot(let camera): "a snapshot of camera \(camera)"
    case .events(let span, nil): "events \(span.text)"
    case .events(let span, let cursor?): "events \(span.text), those before \(cursor.id)"
    case .eventImage(let id): "the image of event \(id)"
    case .recordings(let span): "when it recorded \(span.text)"
    case .recording, .change: nil
    }
  }
}

extension TimelineSpan {
  /// Such as `from 2026-11-24T00:00:00Z to 2026-11-25T00:00:00Z`.
  fileprivate var text: String {
    let moments = [start, end].map { Date(timeIntervalSince1970: Double($0) / 1_000).ISO8601Format() }
    return "from \(moments[0]) to \(moments[1])"
  }
}
