import ControlMessages
import EventDetection
import MediaPipeline

/// An event that goes on, with the picture of its strongest moment so far.
struct RunningEvent {
  var event: DetectedEvent
  /// JPEG; nil once it is on the disk.
  var picture: [UInt8]?
  /// The file that shows an earlier moment, or the same.
  var pictureName: String?
  /// Those that have been recorded since it began.
  var archives: [String]

  /// Takes the strongest moment so far.
  mutating func take(_ peak: EventTrigger<PictureRegion>.Signal) {
    event.score = peak.score
    event.region = peak.place
  }

  /// Takes what it looks like at a stronger moment, or the reading; of which kind it is was told at first.
  mutating func note(_ step: EventStep) {
    if event.detail == nil || event.kind.detailIsReading { event.detail = step.detail ?? event.detail }
    if let picture = step.picture { self.picture = picture }
  }

  /// A picture has reached the disk; a newer one may have come meanwhile.
  mutating func noteWritten(_ written: [UInt8], as name: String?) {
    pictureName = name
    if picture == written { picture = nil }
  }

  /// As it stands at the moment.
  var record: EventRecord {
    var record = EventRecord(event)
    record.picture = pictureName
    record.archives = archives.isEmpty ? nil : archives
    return record
  }
}
