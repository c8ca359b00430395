public import MediaCore
public import TransportCrypto

/// Asks a STUN server for the address under which one of our addresses is seen (RFC 8445 §5.1.1.2), sans-IO.
///
/// The request is repeated with growing intervals and given up in the end. Its answer is not signed; only who sees the
/// request can forge one, and a wrong address costs the peer some checks.
public struct ReflexiveAddressQuery {
  /// Our address.
  public let base: TransportAddress
  /// The STUN server that is asked.
  public let server: TransportAddress
  /// The state of the query.
  public private(set) var state = State.asking
  private let id: STUNTransactionID
  private let configuration: ICEConfiguration
  private var backOff: STUNRetransmissionTimer
  private var isToBeSent = true

  /// How a query may stand.
  public enum State: Hashable, Sendable {
    case asking
    case answered(TransportAddress)
    /// The server did not answer, or refuses to.
    case givenUp
  }

  /// The first request is due at once.
  ///
  /// - Parameters:
  ///   - server: where it goes.
  ///   - base: our address, that of the socket it has to leave from.
  ///   - crypto: draws the transaction id, which must be unguessable.
  public init(
    of server: TransportAddress, base: TransportAddress, crypto: any CryptoPrimitives, now: MonotonicInstant,
    configuration: ICEConfiguration = ICEConfiguration()
  ) {
    self.server = server
    self.base = base
    self.configuration = configuration
    id = STUNTransactionID(crypto: crypto)
    backOff = STUNRetransmissionTimer(
      now: now, initial: configuration.minimumRetransmissionTimeout, configuration: configuration)
  }

  /// When to call ``handleTimeout(now:)``.
  public var deadline: MonotonicInstant { state == .asking ? backOff.deadline : .distantFuture }

  /// Has the request sent again, or gives it up after ``ICEConfiguration/maximumTransmissions``.
  public mutating func handleTimeout(now: MonotonicInstant) {
    guard state == .asking else { return }
    switch backOff.advance(now: now, configuration: configuration) {
    case .wait: return
    case .transmit: isToBeSent = true
    case .giveUp: state = .givenUp
    }
  }

  /// Writes the request to the front of `buffer` when it is to be sent (again).
  public mutating func takeTransmit(into buffer: inout MutableRawSpan) -> Int? {
    guard isToBeSent, state == .asking else { return nil }
    isToBeSent = false
    guard var writer = try? STUNMessageWriter(.request, .binding, id, to: &buffer) else { return nil }
    guard (try? writer.appendFingerprint(to: &buffer)) != nil else { return nil }
    return writer.count
  }

  /// Takes a STUN datagram that came to `local`; returns whether it answers this query.
  public mutating func receive(_ message: STUNMessage, from remote: TransportAddress, to local: TransportAddress)
    -> Bool
  {
    guard state == .asking, remote == server, local == base, message.header.transactionID == id,
      message.header.method == .binding
    else { return false }
    switch message.header.messageClass {
    case .successResponse: take(message.mappedAddress)
    case .errorResponse: state = .givenUp
    case .request, .indication: return false
    }
    return true
  }

  private mutating func take(_ address: TransportAddress?) {
    guard let address, address.isUnicast, address.canReach(base) else { return state = .givenUp }
    state = .answered(address)
  }
}
