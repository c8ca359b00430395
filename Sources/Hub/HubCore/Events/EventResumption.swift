/// Where an event stream resumes that a client opens with `Last-Event-ID`.
public struct EventResumption: Sendable {
  /// The sequence of the last event that the client has.
  public let cursor: UInt64
  /// The client has lost events. It is notified, and gets those that are still there: a call among them may be ringing.
  public let isReset: Bool

  /// - Parameters:
  ///   - lastEventID: as the client says; nil or empty for one that begins, which gets no earlier events.
  ///   - epoch: of this run of the hub.
  ///   - stored: from the event before the first that the log still holds up to the last of all.
  public init(after lastEventID: String?, epoch: String, stored: ClosedRange<UInt64>) {
    guard let lastEventID, !lastEventID.isEmpty else {
      (cursor, isReset) = (stored.upperBound, false)
      return
    }
    guard let id = EventID(lastEventID), id.epoch == epoch, stored.contains(id.sequence) else {
      (cursor, isReset) = (stored.lowerBound, true)
      return
    }
    (cursor, isReset) = (id.sequence, false)
  }
}
