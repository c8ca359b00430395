import MediaCore
import Signalling

/// The previews that are shown or set up, each with what carries its media out.
struct CallPreviews {
  /// Pages that one call shows previews to at once.
  static let perCall = 4
  /// Previews of all calls at once: each sends the video once more.
  static let perDevice = 8
  /// Requests of one call, granted or not; further ones are ignored.
  static let requestsPerCall = 16

  private struct Entry {
    var preview: CallPreview
    let media: SerialActions<MediaAction>
  }

  private var entries: [SessionID: Entry] = [:]

  subscript(id: SessionID) -> CallPreview? { entries[id]?.preview }

  /// Whether another may begin.
  func hasRoom(for callID: SessionID) -> Bool {
    entries.count < Self.perDevice && ids(of: callID).count < Self.perCall
  }

  /// The previews of a call.
  func ids(of callID: SessionID) -> [SessionID] {
    entries.filter { $0.value.preview.callID == callID }.map(\.key).sorted()
  }

  /// How many pages see a call's preview.
  func shownCount(of callID: SessionID) -> Int {
    entries.values.count { $0.preview.callID == callID && $0.preview.phase == .showing }
  }

  /// The calls that previews are of.
  var callIDs: Set<SessionID> { Set(entries.values.map(\.preview.callID)) }

  var nextDeadline: MonotonicInstant? { entries.values.compactMap(\.preview.deadline).min() }

  /// The previews whose deadline has come.
  func overdue(now: MonotonicInstant) -> [SessionID] {
    entries.filter { $0.value.preview.deadline.map { $0 <= now } ?? false }.map(\.key).sorted()
  }

  mutating func insert(_ preview: CallPreview, as id: SessionID, _ media: SerialActions<MediaAction>) {
    entries[id] = Entry(preview: preview, media: media)
  }

  /// Applies an event to a preview and begins what it has the media plane do; returns what is to be sent.
  ///
  /// One that has ended is forgotten: what carries its media out ends by itself.
  mutating func update(_ id: SessionID, _ step: (inout CallPreview) -> [CallPreview.Action]) -> [PreviewMessage] {
    guard var entry = entries[id] else { return [] }
    let actions = step(&entry.preview)
    let hasEnded = entry.preview.phase == .ended
    if hasEnded { entry.media.end() }
    entries[id] = hasEnded ? nil : entry
    return carryOut(actions, entry.media)
  }

  private func carryOut(
    _ actions: [CallPreview.Action], _ media: SerialActions<MediaAction>
  ) -> [PreviewMessage] {
    actions.compactMap { action in
      switch action {
      case .media(let action):
        media.append(action)
        return nil
      case .send(let message): return message
      }
    }
  }
}
