import FoundationEssentials
import Signalling

/// The answer to a request of the hub for something archived, ready to be uploaded.
struct ArchiveAnswer: Sendable {
  enum Content: Sendable {
    case bytes([UInt8])
    case file(any ArchiveFileReading, Range<Int64>)

    var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, let range): range.upperBound - range.lowerBound
      }
    }
  }

  /// 200, 206, 403, 404, 409 or 416, as the browser is to see it.
  var status: Int
  var contentType: String
  /// For 206 and 416.
  var contentRange: String?
  var content: Content
  /// What a file of it is to be called.
  var fileName: String?

  static let notFound = ArchiveAnswer(status: 404, contentType: "text/plain", content: .bytes([]))

  /// The configuration denies it to the hub.
  static let notAllowed = ArchiveAnswer(status: 403, contentType: "text/plain", content: .bytes([]))

  /// Looks up what the hub asks for, or does it.
  static func make(_ request: RequestEvent, from content: RequestedContent) async throws -> ArchiveAnswer {
    let (archives, maximum) = (content.archives, request.maximumBytes)
    switch ArchiveRequestPath(request.path) {
    case nil:
      return .notFound
    case .list:
      return json(try await archives.archiveList(), maximum: maximum)
    case .manifest(let archiveID):
      guard let manifest = try await archives.archiveManifest(archiveID) else { return .notFound }
      return json(manifest, maximum: maximum)
    case .file(let archiveID, let name):
      guard let file = try await archives.openArchiveFile(archiveID, name: name) else { return .notFound }
      return part(of: file, range: request.range, maximum: maximum)
    case .clip(let archiveID, let name, let span):
      return await refusing { () throws(RequestRefusal) in
        let clip = try await archives.openClip(archiveID, of: name, span)
        guard clip.size <= maximum || request.range != nil else {
          throw .notPossible("this clip has more bytes than the hub takes: take a shorter one")
        }
        return part(of: clip, range: request.range, maximum: maximum)
      }
    case .thumbnail(let archiveID):
      return image(try await archives.archiveThumbnail(archiveID), maximum: maximum)
    case .change(let archiveID, let change):
      guard let changes = content.changes else { return .notAllowed }
      return await refusing { () throws(RequestRefusal) in
        let state = try await changes.change(archiveID, change, for: request.requester)
        return encoded(state, maximum: maximum)
      }
    case .cameras:
      guard let snapshots = content.snapshots else { return .notAllowed }
      return json(Array(try JSONEncoder().encode(CameraNames(items: snapshots.cameras))), maximum: maximum)
    case .snapshot(let camera):
      guard let snapshots = content.snapshots else { return .notAllowed }
      return await snapshot(of: camera, snapshots, maximum: maximum)
    case .events(let span, let cursor):
      guard let timeline = content.timeline else { return .notAllowed }
      return json(try await timeline.events(in: span, after: cursor), maximum: maximum)
    case .recordings(let span):
      guard let timeline = content.timeline else { return .notAllowed }
      return json(try await timeline.recordings(in: span), maximum: maximum)
    case .recording(let isWanted):
      guard let recording = content.recording else { return .notAllowed }
      return await record(recording, isWanted, for: request)
    case .eventImage(let id):
      guard let timeline = content.timeline else { return .notAllowed }
      return image(await timeline.image(of: id, limit: maximum), maximum: maximum)
    }
  }

  private static func record(
    _ recording: any RecordingControl, _ isWanted: Bool?, for request: RequestEvent
  ) async -> ArchiveAnswer {
    await refusing { () throws(RequestRefusal) in
      encoded(try await recording.setRecording(isWanted, for: request.requester), maximum: request.maximumBytes)
    }
  }

  private static func refusing(
    _ answer: () async throws(RequestRefusal) -> ArchiveAnswer
  ) async -> ArchiveAnswer {
    do throws(RequestRefusal) {
      return try await answer()
    } catch {
      switch error {
      case .notAllowed(let message): return refusal(403, message)
      case .notFound(let message): return refusal(404, message)
      case .notPossible(let message): return refusal(409, message)
      }
    }
  }

  private static func encoded(_ value: some Encodable, maximum: Int64) -> ArchiveAnswer {
    (try? JSONEncoder().encode(value)).map { json(Array($0), maximum: maximum) } ?? .notFound
  }

  /// With why, as far as there is room for it.
  private static func refusal(_ status: Int, _ message: String) -> ArchiveAnswer {
    var text = message
    while text.utf8.count > RequestEvent.longestRefusal { text.removeLast() }
    return ArchiveAnswer(status: status, contentType: "text/plain", content: .bytes(Array(text.utf8)))
  }

  private static func snapshot(
    of camera: CameraName, _ snapshots: any SnapshotProviding, maximum: Int64
  ) async -> ArchiveAnswer {
    guard snapshots.cameras.contains(camera) else {
      let known = snapshots.cameras.map(\.text).joined(separator: ", ")
      return refusal(404, "it has no camera of this name; it has \(known)")
    }
    return image(await snapshots.snapshot(of: camera), maximum: maximum)
  }

  private static func image(_ jpeg: [UInt8]?, maximum: Int64) -> ArchiveAnswer {
    guard let jpeg, Int64(jpeg.count) <= maximum else { return .notFound }
    return ArchiveAnswer(status: 200, contentType: "image/jpeg", content: .bytes(jpeg))
  }

  static func json(_ bytes: [UInt8], maximum: Int64) -> ArchiveAnswer {
    guard Int64(bytes.count) <= maximum else { return .notFound }
    return ArchiveAnswer(status: 200, contentType: "application/json", content: .bytes(bytes))
  }

  /// A range is shortened to what the hub takes (a player asks for the rest); a whole file that is too large is
  /// refused like an unsatisfiable range, so that the client learns the size and may ask in parts.
  static func part(of file: any ArchiveFileReading, range: String?, maximum: Int64) -> ArchiveAnswer {
    let size = file.size
    switch RangeSelection(header: range, size: size) {
    case .whole where size <= maximum:
      return ArchiveAnswer(
        status: 200, contentType: file.contentType, content: .file(file, 0..<size),
        fileName: file.fileName)
    case .part(let selected) where maximum > 0:
      let end = selected.lowerBound + min(selected.upperBound - selected.lowerBound, maximum)
      return ArchiveAnswer(
        status: 206, contentType: file.contentType, contentRange: "bytes \(selected.lowerBound)-\(end - 1)/\(size)",
        content: .file(file, selected.lowerBound..<end), fileName: file.fileName)
    case .whole, .part, .unsatisfiable:
      return ArchiveAnswer(
        status: 416, contentType: "text/plain", contentRange: "bytes */\(size)", content: .bytes([]))
    }
  }
}
