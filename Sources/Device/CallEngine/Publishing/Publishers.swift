public import MediaCore
public import MediaPlaneAPI
public import Signalling

/// What a publisher does, for displays.
public struct PublisherStatus: Sendable {
  public enum State: String, Sendable, Hashable, CaseIterable {
    case idle, connecting, publishing, restarting, waiting
  }

  public var name: String
  /// Without the query, which may hold a secret.
  public var endpoint: String
  public var state: State
  public var kinds: Set<MediaKind>
  public var view: DeviceView
  /// Since when media flows.
  public var since: MonotonicInstant?
  /// Until the next attempt.
  public var pause: TimeSpan?
  /// What fails, and what to do about it; nil if all is well.
  public var problem: PublishFailure?
  /// Since the daemon's start.
  public var failures: Int
  /// The media plane's session; nil while there is none.
  public var sessionID: SessionID?
}

extension PublisherStatus {
  init(
    target: PublishTarget, phase: Publication.Phase, failure: PublishFailure?, failures: Int, problem: PublishFailure?,
    sessionID: SessionID?, now: MonotonicInstant
  ) {
    (name, endpoint) = (target.name, "\(target.endpoint)")
    (kinds, view) = (target.kinds, target.view)
    (self.problem, self.failures, self.sessionID) = (problem ?? failure, failures, sessionID)
    switch phase {
    case .idle: state = .idle
    case .connecting: state = .connecting
    case .publishing(let since): (state, self.since) = (.publishing, since)
    case .restarting(_, let since): (state, self.since) = (.restarting, since)
    case .waiting(let until): (state, pause) = (.waiting, max(until - now, .zero))
    }
  }
}

/// All servers to which the device publishes.
public final class Publishers: Sendable {
  public static let maximumCount = 4

  private let sessions = PublishedSessions()
  private let publishers: [Publisher]

  /// - Parameter environment: that of the engine.
  public init(_ targets: [PublishTarget], _ environment: EngineEnvironment) {
    publishers = targets.map { [sessions] target in
      Publisher(
        target,
        PublisherEnvironment(
          media: environment.media, endpoint: WHIPEndpoint(target: target), sessions: sessions, now: environment.now,
          random: environment.random, makeSessionID: environment.makeSessionID, logger: environment.logger))
    }
  }

  /// Publishes until the task is cancelled; then ends what runs.
  ///
  /// - Parameter engine: whose calls and events are occasions.
  public func run(_ engine: CallEngine) async {
    await withDiscardingTaskGroup { group in
      for publisher in publishers {
        group.addTask { await publisher.run(engine.events()) { await engine.currentCalls } }
      }
    }
  }

  /// Takes an event of the media plane; returns whether it is about a published session.
  func take(_ event: MediaPlaneEvent) -> Bool { sessions.take(event) }

  /// In the configuration's order.
  public var status: [PublisherStatus] {
    get async {
      var all: [PublisherStatus] = []
      for publisher in publishers { all.append(await publisher.status) }
      return all
    }
  }
}
