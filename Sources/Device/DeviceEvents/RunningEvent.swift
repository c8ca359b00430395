import EventDetection
import MediaPipeline
import Signalling

/// An ongoing event, with the image of its strongest moment so far.
struct RunningEvent {
  var timed: TimedEvent
  /// JPEG; nil once it is on the disk.
  var image: [UInt8]?

  init(_ timed: TimedEvent) { self.timed = timed }

  var event: DetectedEvent { timed.event }

  /// Takes the strongest moment so far.
  mutating func take(_ peak: EventTrigger<FrameRegion>.Signal) {
    (timed.event.score, timed.event.region) = (peak.score, peak.place)
  }

  /// Takes a beginning or a stronger moment, with its reading and image; the event's variety is that of the beginning.
  mutating func take(_ step: EventStep, _ peak: EventTrigger<FrameRegion>.Signal) {
    take(peak)
    if event.detail == nil || event.knownKind?.facts.detail == .reading {
      timed.event.detail = step.detail ?? event.detail
    }
    if let image = step.image { self.image = image }
  }

  /// An archive is being recorded meanwhile.
  mutating func note(archive id: String) {
    guard event.archives?.contains(id) != true else { return }
    timed.event.archives = (event.archives ?? []) + [id]
  }

  /// An image has reached the disk; a newer one may have come meanwhile.
  mutating func noteWritten(_ written: [UInt8], as name: String) {
    timed.event.picture = name
    if image == written { image = nil }
  }
}
