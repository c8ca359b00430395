import FoundationEssentials
import HTTPConnections
public import Logging
import MediaCore
import NIOHTTP1
import Signalling
import SystemSupport

/// The device's side of the hub API, version 1.
///
/// Every request is limited in time; those that may be repeated are, a few times. A hub that is not there is no
/// error: requests throw, ``run(_:)`` keeps trying, and everything comes back by itself. May be used from any task.
public final class HubClient: Sendable {
  let transport: HubTransport
  let credentials: Credentials
  let reachability: ReachabilityLog
  let logger: Logger
  let retryPause = InterruptiblePause()
  /// Goes with the next heartbeat.
  let report = Mutex<DeviceReport?>(nil)

  public init(_ configuration: HubClientConfiguration, logger: Logger) {
    transport = HubTransport(configuration: configuration)
    credentials = Credentials(transport: transport, logger: logger)
    reachability = ReachabilityLog(
      hub: configuration.baseURL, logger: logger, isClockSynchronized: configuration.isClockSynchronized)
    self.logger = logger
  }

  /// Who this device is to the hub; `nil` before the first login.
  public var userID: String? {
    get async { await credentials.userID }
  }

  /// The title under which others see this device; `nil` before the first login.
  public var userTitle: String? {
    get async { await credentials.userTitle }
  }

  /// Where the hub's page shows an event of this device. Nil before the first login, and for a hub on this machine, which
  /// others reach by a name that is not known here.
  public func pageAddress(ofEvent eventID: String) async -> String? {
    let origin = transport.configuration.origin
    let isLocal = origin.host == "localhost" || origin.host == "::1" || origin.host.hasPrefix("127.")
    guard !isLocal, let userID = await userID else { return nil }
    let scheme = origin.isSecure ? "https" : "http"
    return "\(scheme)://\(origin.hostField)\(origin.pathPrefix)/#/devices/\(userID)/events/\(eventID)"
  }

  /// Why there is no event stream, or last was none; `nil` if there was no failure yet.
  public var lastOutage: HubOutage? { reachability.lastOutage }

  /// Has ``run(_:)`` retry at once, if it waits to do so: what made the hub unreachable may be over, such as a wall
  /// clock with which its certificate is not yet valid.
  public func retryNow() { retryPause.end() }

  /// Closes all connections. To be called once, after the last request; ``run(_:)`` must have been cancelled.
  public func shutdown() async {
    await credentials.shutdown()
    await transport.shutdown()
  }

  /// A hub that demands a longer pause is asked no more: the caller knows better what to do then.
  private static let longestPause = TimeSpan.seconds(5)

  /// Whether sending a request twice does the same as sending it once.
  enum Repetition {
    case harmless
    case forbidden
  }

  /// Sends one request with the device's token; logs in again once if the hub does not take it.
  @discardableResult
  func call(
    _ method: HTTPMethod, _ path: String, _ body: (any Encodable & Sendable)? = nil,
    repetition: Repetition = .harmless
  ) async throws(HubClientError) -> HubTransport.Answer {
    let json = try body.map { body throws(HubClientError) in try Self.encode(body) }
    var attempt = 1
    var requested: TimeSpan?
    var pause = Backoff(initial: .milliseconds(250), maximum: .seconds(2))
    while true {
      do {
        return try await callOnce(method, path, json)
      } catch {
        let mayRepeat = repetition == .harmless && error.isTransient && !Task.isCancelled
        requested = error.retryAfter
        guard mayRepeat, attempt < transport.configuration.maximumAttempts,
          requested ?? .zero <= Self.longestPause
        else { throw error }
      }
      attempt += 1
      // Cancelled: the next attempt fails at once and is the last.
      try? await Task.sleep(for: Duration(pause.next(random: .random(in: 0..<1), requested: requested)))
    }
  }

  private func callOnce(
    _ method: HTTPMethod, _ path: String, _ json: [UInt8]?
  ) async throws(HubClientError) -> HubTransport.Answer {
    let token = try await credentials.current()
    var answer = try await transport.send(method, path, token: token.text, json: json)
    if answer.status == 401 {
      let fresh = try await credentials.replacement(for: token)
      answer = try await transport.send(method, path, token: fresh.text, json: json)
    }
    try answer.checkStatus()
    return answer
  }

  private static func encode(_ body: any Encodable) throws(HubClientError) -> [UInt8] {
    do {
      return Array(try JSONEncoder().encode(body))
    } catch {
      throw .malformedAnswer(String(describing: error))
    }
  }
}
