public import MediaCore
public import MediaPlaneAPI

/// The engine's figures at one moment.
public struct EngineTelemetry: Sendable {
  /// Calls that are not over.
  public var liveCalls: Int
  /// How many calls there may be at the same time.
  public var maximumCalls: Int
  public var tally: CallTally
  public var hub: HubLink
  public var media: MediaTelemetry
  /// When the figures were taken.
  public var now: MonotonicInstant
}

extension CallEngine {
  /// The figures, for those who watch how a device does over time.
  public func telemetry() async -> EngineTelemetry {
    let media = await environment.media.telemetry()
    return EngineTelemetry(
      liveCalls: calls.liveCount, maximumCalls: settings.maximumSessions, tally: calls.tally, hub: presence.link,
      media: media, now: environment.now())
  }
}
