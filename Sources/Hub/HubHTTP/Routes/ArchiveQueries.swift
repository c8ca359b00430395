internal import HubCore
internal import Hummingbird
internal import Signalling

extension Request {
  /// What `from` and `before` in the query say, in milliseconds since 1970.
  var timelineSpan: TimelineSpan {
    get throws(HubRefusal) {
      let (from, before) = (try time("from"), try time("before"))
      guard let span = TimelineSpan(start: from, end: before) else {
        throw .invalid(field: "from, before", reason: "must be the first and the last moment of a week at most")
      }
      return span
    }
  }

  /// What `from` and `to` in the query say, in seconds from the archive's start; nil where the whole file is wanted.
  var clipSpan: ArchiveSpan? {
    get throws(HubRefusal) {
      let texts = (uri.queryParameters["from"], uri.queryParameters["to"])
      guard texts.0 != nil || texts.1 != nil else { return nil }
      let times = (
        texts.0.flatMap { ArchiveSpan.milliseconds(seconds: $0) },
        texts.1.flatMap { ArchiveSpan.milliseconds(seconds: $0) }
      )
      guard let from = times.0, let to = times.1, let span = ArchiveSpan(start: from, end: to), span.isClip else {
        throw .invalid(
          field: "from, to",
          reason: "must be seconds from the archive's start, \(ArchiveSpan.longestClip / 1_000) apart at most")
      }
      return span
    }
  }

  /// What `after` in the query says: `next` of the page before, or nothing.
  var eventCursor: EventCursor? {
    get throws(HubRefusal) {
      guard let text = uri.queryParameters["after"] else { return nil }
      guard let cursor = EventCursor(text) else {
        throw .invalid(field: "after", reason: "must be what the page before has as next")
      }
      return cursor
    }
  }

  private func time(_ name: Substring) throws(HubRefusal) -> Int64 {
    guard let text = uri.queryParameters[name] else { throw .invalid(field: String(name), reason: "is missing") }
    guard let time = TimelineSpan.number(text) else {
      throw .invalid(field: String(name), reason: "must be milliseconds since 1970")
    }
    return time
  }
}
