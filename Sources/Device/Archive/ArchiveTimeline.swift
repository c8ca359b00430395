import MediaCore
public import Signalling

/// Archives by the time that they show.
public struct ArchiveTimeline: Sendable {
  /// An archive that began longer than this before a span is skipped: plans begin a new one each hour, time-lapses each
  /// day.
  private static let longestBefore: Int64 = 2 * 86_400_000
  /// The maximum number of manifests read; of more, the youngest.
  private static let maxRead = 2_000

  private let store: ArchiveStore

  public init(store: ArchiveStore) { self.store = store }

  /// The youngest archives that show something of a span.
  public struct Page: Sendable {
    /// The youngest first.
    public var manifests: [ArchiveManifest]
    /// Whether there may be more.
    public var hasMore: Bool
  }

  /// At most `limit` archives that overlap a span. Folders without a readable manifest are left out.
  public func page(of span: TimelineSpan, limit: Int) throws(ArchiveError) -> Page {
    let first = CalendarDay(milliseconds: span.start.saturatingSubtracting(Self.longestBefore))
    let last = CalendarDay(milliseconds: span.end - 1)
    var (manifests, unread, isCut): ([ArchiveManifest], Int, Bool) = ([], Self.maxRead, false)
    for day in try store.days().reversed() where first.isSameOrEarlier(day) && day.isSameOrEarlier(last) {
      let ids = try store.ids(on: day)
      if ids.count > unread { isCut = true }
      manifests += ids.prefix(unread).compactMap { try? store.manifest($0, on: day) }.filter { $0.shows(span) }
      unread = max(0, unread - ids.count)
    }
    let youngest = manifests.sorted { $0.createdAt > $1.createdAt }.prefix(limit)
    return Page(manifests: Array(youngest), hasMore: isCut || youngest.count < manifests.count)
  }
}

extension ArchiveManifest {
  /// One that is being recorded has no end.
  fileprivate func shows(_ span: TimelineSpan) -> Bool {
    createdAt < span.end && (status == .started || endedAt > span.start)
  }
}

extension CalendarDay {
  fileprivate func isSameOrEarlier(_ other: CalendarDay) -> Bool {
    (year, month, day) <= (other.year, other.month, other.day)
  }
}
