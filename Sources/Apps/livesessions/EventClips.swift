import Archive
import ControlMessages
import MediaCore
import Signalling

/// Where recordings show events: what `livesessions events --clips` lists.
struct EventClips {
  /// One recording of an event; its keys are an interface to other programs.
  struct Clip: Encodable, Hashable {
    var eventID: String
    var kind: String
    var source: String
    /// Milliseconds since 1970.
    var start: Int64
    var archiveID: String
    /// Milliseconds of playback from the archive's start to the event's; 0 where that came first.
    var offset: Int64
    /// Milliseconds of playback from there to the event's end; absent while that is unknown.
    var duration: Int64?
  }

  /// - Parameter archives: those of the events, by their ids; without those that have been deleted.
  static func clips(of events: [DetectedEvent], in archives: [String: ArchiveDetail]) -> [Clip] {
    events.flatMap { event in
      (event.archives ?? []).compactMap { id in archives[id].map { clip(of: event, in: $0) } }
    }
  }

  private static func clip(of event: DetectedEvent, in detail: ArchiveDetail) -> Clip {
    func played(since start: Int64, to end: Int64) -> Int64 {
      let recorded = max(0, end.saturatingSubtracting(start))
      guard let interval = detail.timeLapseInterval else { return recorded }
      return TimeLapse(interval: .milliseconds(interval)).played(milliseconds: recorded)
    }
    let start = detail.archive.createdAt
    return Clip(
      eventID: event.id, kind: event.kind, source: event.source, start: event.start,
      archiveID: detail.archive.archiveID, offset: played(since: start, to: event.start),
      duration: event.end.map { played(since: max(start, event.start), to: $0) })
  }
}
