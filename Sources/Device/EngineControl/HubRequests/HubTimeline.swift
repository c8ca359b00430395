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

extension RecordedSpan {
  fileprivate init(_ manifest: ArchiveManifest) {
    self.init(
      id: manifest.id, start: manifest.createdAt, end: manifest.status == .started ? nil : manifest.endedAt,
      plans: manifest.plans, timeLapseInterval: manifest.timeLapseInterval)
  }
}
