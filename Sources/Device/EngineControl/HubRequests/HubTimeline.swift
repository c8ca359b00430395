public import Archive
public import DeviceConfiguration
public import DeviceEvents
import FoundationEssentials
public import HubClient
import RealtimeRuntime
public import Signalling

/// What the device has noticed and recorded, for operators at the hub.
public struct HubTimeline: TimelineProviding {
  /// Recordings at once.
  private static let maxRecordings = 500

  private let events: EventCenter
  private let archives: ArchiveTimeline

  /// Nil where the configuration does not allow that.
  public init?(_ events: EventCenter, _ store: ArchiveStore, _ settings: HubSettings) {
    guard settings.showsTimeline else { return nil }
    self.events = events
    archives = ArchiveTimeline(store: store)
  }

  public func events(in span: TimelineSpan, after cursor: EventCursor?) async throws -> [UInt8] {
    try Self.json(await events.page(in: span, after: cursor))
  }

  public func recordings(in span: TimelineSpan) async throws -> [UInt8] {
    let page = try await BlockingWork.run(.archives) { try archives.page(of: span, limit: Self.maxRecordings) }
    return try Self.json(RecordedSpans(hasMore: page.hasMore, items: page.manifests.map { RecordedSpan($0) }))
  }

  private static func json(_ answer: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(answer))
  }

  public func image(of id: DetectedEventID, limit: Int64) async -> [UInt8]? {
    await events.image(of: id, limit: limit)
  }
}

/// Archives of a span, as the hub's askers see them.
private struct RecordedSpans: Encodable {
  /// Whether older ones were left out.
  var hasMore: Bool
  var items: [RecordedSpan]
}

/// When an archive was recorded, in milliseconds since 1970.
private struct RecordedSpan: Encodable {
  var id: ArchiveID
  var start: Int64
  /// Absent while it is recorded.
  var end: Int64?
  var plans: [String]?
  /// Milliseconds from frame to frame of a time-lapse.
  var timeLapseInterval: Int64?

  init(_ manifest: ArchiveManifest) {
    (id, start) = (manifest.id, manifest.createdAt)
    end = manifest.status == .started ? nil : manifest.endedAt
    (plans, timeLapseInterval) = (manifest.plans, manifest.timeLapseInterval)
  }
}
