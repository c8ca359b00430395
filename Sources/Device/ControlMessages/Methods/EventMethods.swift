public import Signalling

/// What the methods about events and the rules about them have the daemon do.
public protocol EventMethods: Sendable {
  /// What sources of events have noticed since a time in milliseconds since 1970, the newest first, at most `limit`.
  func detectedEvents(since: Int64, limit: Int) async throws -> [DetectedEvent]
  /// What the rules would make of an event of a source that begins now.
  ///
  /// - Throws: ``DeviceControlError/invalidParameter(_:)`` for an unknown source.
  func explainEvent(source: String, score: Int) async throws -> EventExplanation
  /// Notes whether anyone is at home from now on.
  func setHome(_ isHome: Bool) async throws
}

extension MethodTable {
  static let events: [InterfaceMethod] = [
    InterfaceMethod(
      .eventList, .monitoring,
      """
      What sources of events have noticed since a time, the newest first; 1000 of all that is kept unless limited
      otherwise. Ongoing events are among them.
      """
    ) { control, parameters in
      let limit = parameters.limit ?? 1_000
      guard (1...EventListParameters.maxEvents).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
      return EventListReply(events: try await control.detectedEvents(since: parameters.since ?? 0, limit: limit))
    },
    InterfaceMethod(
      .eventExplain, .full,
      "What the rules about events would make of one that a source notices now, with this score (100 without one), and why."
    ) { control, parameters in
      let score = parameters.score ?? 100
      guard (0...100).contains(score) else { throw VarlinkError.invalidParameter("score") }
      let explanation = try await control.explainEvent(source: parameters.source, score: score)
      return EventExplainReply(explanation: explanation)
    },
    InterfaceMethod(
      .setHome, "Whether a person is at home from now on, which rules about events may test; kept across restarts."
    ) { try await $0.setHome($1.isHome) },
  ]
}

extension DeviceMethod<EventListParameters, EventListReply> {
  public static var eventList: Self { Self("EventList") }
}

extension DeviceMethod<EventExplainParameters, EventExplainReply> {
  public static var eventExplain: Self { Self("EventExplain") }
}

extension DeviceMethod<SetHomeParameters, NoParameters> {
  public static var setHome: Self { Self("SetHome") }
}
