import MediaCore
import PeerSession
import SDP
import TransportCrypto

/// Two sessions of ours, one of which has offered, and the network between them in virtual time.
final class SessionPair {
  static let callerAddress = TransportAddress(ipv4: 0x0A00_0001, port: 5_000)
  static let calleeAddress = TransportAddress(ipv4: 0x0A00_0002, port: 6_000)
  static let otherCalleeAddress = TransportAddress(ipv4: 0x0A00_0102, port: 6_000)

  /// What a test varies.
  struct Setup {
    /// Of the callee.
    var role = DTLSRole.client
    var callerHasCandidates = true
    var calleeHasCandidates = true
    var callerPublishes: Set<MediaKind> = [.audio, .video]
    var callerSubscribes: Set<MediaKind> = [.audio, .video]
    var calleePublishes: Set<MediaKind> = [.audio, .video]
    /// The callee uses nothing but relays, which ``SessionPair/openRelay(_:after:)`` opens.
    var isCalleeRelayOnly = false
  }

  let caller: Party
  let callee: Party
  /// The caller's.
  let firstOffer: String
  var network = VirtualNetwork(seed: 3)
  /// The callee's.
  let relay = PairRelay()
  /// Addresses that no datagram reaches or leaves any more.
  var deadAddresses: Set<TransportAddress> = []
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private var nextFrames: [MediaKind: MonotonicInstant] = [:]

  init(_ setup: Setup = Setup()) throws {
    caller = try Party(
      PeerSessionConfiguration(
        localAddresses: [Self.callerAddress], publish: setup.callerPublishes, subscribe: setup.callerSubscribes,
        cname: "caller"),
      stack: .real(0, seed: 1), now: now)
    firstOffer = Self.text(caller.session.localDescription, hasCandidates: setup.callerHasCandidates)
    callee = try Party(
      PeerSessionConfiguration(
        localAddresses: [Self.calleeAddress], publish: setup.calleePublishes, subscribe: [.audio, .video],
        cname: "callee", transportPolicy: setup.isCalleeRelayOnly ? .relay : .all,
        namesServers: setup.isCalleeRelayOnly, preferredDTLSRole: setup.role),
      answering: firstOffer, stack: .real(1, seed: 2), now: now)
    hasCalleeCandidates = setup.calleeHasCandidates
  }

  private let hasCalleeCandidates: Bool

  private static func text(_ description: String, hasCandidates: Bool) -> String {
    guard !hasCandidates else { return description }
    return description.split(separator: "\r\n").filter { !$0.hasPrefix("a=candidate") }.map { $0 + "\r\n" }.joined()
  }

  /// Gives the caller the answer and runs until both are connected.
  func connect() throws {
    try caller.session.accept(
      answer: Self.text(callee.session.localDescription, hasCandidates: hasCalleeCandidates), now: now)
    run(for: .seconds(10)) { caller.isConnected && callee.isConnected }
  }

  /// Has the caller's changed offer answered; returns the answer.
  @discardableResult
  func renegotiate(_ change: (inout String) -> Void = { _ in }) throws -> String? {
    guard var offer = caller.session.restartICE(now: now) else { return nil }
    change(&offer)
    let answer = try callee.session.renegotiate(offer: offer, now: now)
    try caller.session.accept(answer: answer, now: now)
    return answer
  }

  // MARK: Time

  func run(for span: TimeSpan, until isDone: () -> Bool = { false }) {
    let end = now + span
    while !isDone() {
      let next = min(
        network.nextArrival, min(caller.session.deadline, callee.session.deadline), due(.audio), due(.video))
      guard next <= end else { break }
      now = max(now, next)
      turn()
    }
    if !isDone() { now = end }
  }

  private func due(_ kind: MediaKind) -> MonotonicInstant { nextFrames[kind] ?? now }

  private func turn() {
    while let datagram = network.takeArrived(now: now) { deliver(datagram) }
    for party in [caller, callee] {
      party.collector.now = now
      if party.session.deadline <= now { party.session.handleTimeout(now: now) }
    }
    for kind in MediaKind.allCases where due(kind) <= now {
      nextFrames[kind] = now + (kind == .audio ? .milliseconds(20) : .microseconds(33_333))
      for party in [caller, callee] { party.capture(kind, now: now) }
    }
    drain()
  }

  private func deliver(_ datagram: FlyingDatagram) {
    guard !deadAddresses.contains(datagram.target), !relay.deliver(datagram, in: self) else { return }
    let party = datagram.target == Self.callerAddress ? caller : callee
    party.receive(datagram.bytes, from: datagram.source, to: datagram.target, now: now)
    drain()
  }

  /// Moves what both sides have to send to the network.
  func drain() {
    for party in [caller, callee] {
      for datagram in party.takeDatagrams() where !deadAddresses.contains(datagram.source) {
        network.carry(datagram.bytes, from: datagram.source, to: datagram.target, now: now)
      }
      for (link, bytes) in party.takeLinked() { relay.carry(bytes, over: link, in: self) }
      party.takeEvents()
    }
  }
}
