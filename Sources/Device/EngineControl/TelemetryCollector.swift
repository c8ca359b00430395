import CallEngine
import ControlMessages
import MediaCore
import MediaPlaneAPI

/// Puts the daemon's figures together: the one place where they meet, for the control socket and all other readers.
struct TelemetryCollector: Sendable {
  private let engine: CallEngine
  private let startedAt: MonotonicInstant
  private let readSystem: @Sendable () async -> SystemTelemetry

  /// - Parameter readSystem: reads the kernel's figures for process and machine; the uptime is added here.
  init(
    engine: CallEngine, startedAt: MonotonicInstant, readSystem: @escaping @Sendable () async -> SystemTelemetry
  ) {
    self.engine = engine
    self.startedAt = startedAt
    self.readSystem = readSystem
  }

  /// - Parameter failingParts: what does not work now.
  func collect(failingParts: [DevicePart]) async -> DeviceTelemetry {
    let figures = await engine.telemetry()
    var system = await readSystem()
    system.uptime = (figures.now - startedAt).seconds
    return DeviceTelemetry(
      calls: CallTelemetry(figures), hub: HubTelemetry(figures.hub, now: figures.now), media: figures.media,
      system: system, failingParts: failingParts)
  }
}

extension CallTelemetry {
  fileprivate init(_ figures: EngineTelemetry) {
    self.init(
      current: figures.liveCalls, maximum: figures.maximumCalls, incoming: CallOutcomes(figures.tally.incoming),
      outgoing: CallOutcomes(figures.tally.outgoing))
  }
}

extension CallOutcomes {
  fileprivate init(_ counts: [CallTally.Outcome: Int]) {
    self.init()
    completed = counts[.completed] ?? 0
    dropped = counts[.dropped] ?? 0
    rejected = counts[.rejected] ?? 0
    unanswered = counts[.unanswered] ?? 0
    cancelled = counts[.cancelled] ?? 0
    failed = counts[.failed] ?? 0
  }
}

extension HubTelemetry {
  fileprivate init(_ link: HubLink, now: MonotonicInstant) {
    self.init(connectedTime: link.connectedSince.map { (now - $0).seconds }, reconnects: link.reconnects)
  }
}
