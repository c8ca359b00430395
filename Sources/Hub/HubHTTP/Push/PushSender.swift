internal import HTTPConnections
internal import HubCore
internal import HubStore
internal import MediaCore
internal import NIOHTTP1
internal import OpenSSLCrypto
internal import Signalling

/// Sends encrypted messages to push services (RFC 8030), which browsers name and are not to be trusted.
struct PushSender: Sendable {
  /// A message for one browser.
  struct Message: Sendable {
    var content: [UInt8]
    /// Seconds for which the push service keeps it.
    var lifetime: Int64
    /// A later message of the same topic takes the place of this one (RFC 8030, section 5.4).
    var topic: String
    var urgency: Urgency
  }

  /// How soon a device with little power shows it (RFC 8030, section 5.3).
  enum Urgency: String, Sendable { case normal, high }

  /// What became of an attempt.
  enum Outcome: Sendable, Equatable {
    case taken
    /// The subscription has ended.
    case gone
    /// It may be taken later; with the pause that the service requested.
    case failed(String, retryAfter: TimeSpan?)
    case refused(String)
  }

  private let services: [PushServiceName]
  private let client: CheckedHTTPClient
  private let identification: ServerIdentification

  /// - Parameter connections: at the same time; further messages wait.
  init(_ configuration: PushConfiguration, key: P256Key, connections: Int = CheckedHTTPClient.Limits().connections) {
    services = configuration.services
    var limits = CheckedHTTPClient.Limits()
    limits.connections = connections
    client = CheckedHTTPClient(limits: limits, authorityFile: configuration.authorityFile)
    identification = ServerIdentification(key: key, contact: configuration.contact)
  }

  var applicationServerKey: String { identification.applicationServerKey }

  /// Refuses an endpoint that messages would not be sent to.
  func check(_ url: String) async throws(HubRefusal) {
    let endpoint = try PushEndpoint(url, services: services)
    do {
      try await client.check(endpoint.host, where: { endpoint.allows($0) })
    } catch let error as AddressRefusal {
      throw PushEndpoint.refusal("\(error)")
    } catch {
      throw .overloaded("the push service's name cannot be looked up", retryAfter: 10)
    }
  }

  func send(_ message: Message, to subscription: PushSubscriptionRecord) async -> Outcome {
    do {
      let endpoint = try PushEndpoint(subscription.endpoint, services: services)
      guard let origin = HTTPOrigin(endpoint.origin) else { return .refused("the endpoint is no URL") }
      let request = try request(message, to: subscription, at: endpoint)
      let answer = try await client.exchange(request, with: origin, where: { endpoint.allows($0) })
      return Self.outcome(answer)
    } catch let refusal as HubRefusal {
      return .refused(refusal.problem.detail ?? refusal.problem.title)
    } catch AddressRefusal.notAllowed {
      return .refused("\(AddressRefusal.notAllowed)")
    } catch {
      return .failed(ConnectionFailure.message(for: error), retryAfter: nil)
    }
  }

  func shutdown() async { await client.shutdown() }

  private func request(
    _ message: Message, to subscription: PushSubscriptionRecord, at endpoint: PushEndpoint
  ) throws -> HTTPRequest {
    guard
      let encryption = PushEncryption(
        publicKey: subscription.publicKey, authentication: subscription.authentication)
    else { throw HubRefusal.invalid(field: "keys", reason: "are no keys of a browser") }
    let headers: HTTPHeaders = [
      "Authorization": try identification.authorization(for: endpoint.origin, now: TokenAuthority.now),
      "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream", "TTL": "\(message.lifetime)",
      "Topic": message.topic, "Urgency": message.urgency.rawValue, "User-Agent": "livesessions-hub",
    ]
    return HTTPRequest(
      .POST, endpoint.path, headers: headers, body: .bytes(try encryption.encrypt(message.content)))
  }

  private static func outcome(_ answer: HTTPWholeAnswer) -> Outcome {
    switch answer.status.code {
    case 200..<300: .taken
    case 404, 410: .gone
    case 408, 425, 429, 500...:
      .failed("it answers with status \(answer.status.code)", retryAfter: answer.retryAfter)
    default: .refused("it answers with status \(answer.status.code)")
    }
  }
}

extension HTTPWholeAnswer {
  /// What `Retry-After` says in seconds, at most a day.
  fileprivate var retryAfter: TimeSpan? {
    guard let text = headers.first(name: "Retry-After"), let seconds = UInt32(text) else { return nil }
    return .seconds(Int64(min(seconds, 86_400)))
  }
}

extension PushEndpoint {
  /// Whether messages may go to a numeric address.
  fileprivate func allows(_ address: String) -> Bool { isTrusted || IPAddress(address)?.isPublic ?? false }
}
