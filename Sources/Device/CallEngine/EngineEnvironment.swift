public import CallPolicy
import FoundationEssentials
import Glibc
public import Logging
public import MediaCore
public import MediaPlaneAPI
public import Signalling
public import TransportCrypto

/// What surrounds the engine; fakes in tests.
public struct EngineEnvironment: Sendable {
  public var hub: any SignallingHub
  public var media: any MediaPlane
  /// Answers the hub's archive requests; must return soon.
  public var answerArchiveRequest: @Sendable (RequestEvent) async -> Void
  /// CLOCK_MONOTONIC.
  public var now: @Sendable () -> MonotonicInstant
  /// The local times that a policy's rules test.
  public var localTimes: @Sendable (CallPolicy) -> [PolicyTimeZone: LocalTime]
  /// Whether the kernel trusts the wall clock.
  public var isClockSynchronized: @Sendable () -> Bool
  /// CLOCK_REALTIME in seconds since 1970.
  public var wallClock: @Sendable () -> Int64
  /// Checks the hub's signatures.
  public var verifier: any SignatureVerifying
  /// An unused session id: a UUID in lower case, as the hub writes it.
  public var makeSessionID: @Sendable () -> SessionID
  /// Uniformly distributed in 0 ..< 1.
  public var random: @Sendable () -> Double = { .random(in: 0..<1) }
  public var logger: Logger
  /// Whether one of these hours is now; nil while that cannot be known.
  public var isWithin: @Sendable ([WeeklyHours]) -> Bool? = { _ in nil }
  /// Nil for a device without actions.
  public var actions: (any CallActions)?
  /// Nil for a device that publishes to no server.
  public var publishers: Publishers?
  /// Given each plausible position as the receiver has it.
  public var watchPosition: @Sendable (PositionFix) -> Void = { _ in }
  /// Receives where the device is, as exactly as others may know it, and until when that is valid (nil for a device
  /// that does not move); without a place where that must not be known any more.
  public var showPosition: @Sendable (UserLocation?, _ expires: MonotonicInstant?) -> Void = { _, _ in }

  public init(
    hub: any SignallingHub, media: any MediaPlane, verifier: any SignatureVerifying, logger: Logger,
    now: @escaping @Sendable () -> MonotonicInstant,
    localTimes: @escaping @Sendable (CallPolicy) -> [PolicyTimeZone: LocalTime] = { _ in [:] },
    isClockSynchronized: @escaping @Sendable () -> Bool = { true },
    wallClock: (@Sendable () -> Int64)? = nil,
    makeSessionID: (@Sendable () -> SessionID)? = nil,
    answerArchiveRequest: @escaping @Sendable (RequestEvent) async -> Void = { _ in }
  ) {
    self.hub = hub
    self.media = media
    self.logger = logger
    self.now = now
    self.localTimes = localTimes
    self.isClockSynchronized = isClockSynchronized
    self.wallClock = wallClock ?? { Int64(time(nil)) }
    self.verifier = verifier
    // A UUID has only digits, letters and dashes.
    self.makeSessionID = makeSessionID ?? { SessionID(UUID().uuidString.lowercased())! }
    self.answerArchiveRequest = answerArchiveRequest
  }
}
