public import EventDetection

extension EventRecord {
  /// An event as it stands, without what the disk has of it.
  public init(_ event: DetectedEvent) {
    self.init(
      id: event.id, kind: event.kind.rawValue, source: event.source, start: event.startTime, score: event.score,
      clockSynchronized: event.isClockSynchronized)
    end = event.endTime
    region = event.region.map { Region(x: $0.x, y: $0.y, width: $0.width, height: $0.height) }
    detail = event.detail
    camera = event.camera
  }
}
