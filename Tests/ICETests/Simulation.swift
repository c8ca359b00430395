import ICE
import MediaCore
import TestSupport

/// Two agents and the network between them, in virtual time.
final class Simulation {
  struct Datagram {
    var bytes: [UInt8]
    var from: TransportAddress
    var to: TransportAddress
    var arrival: MonotonicInstant
  }

  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  var agents: [ICEAgent]
  var events: [[ICEEvent]] = [[], []]
  /// Which agent receives what is sent to an address.
  var owners: [TransportAddress: Int] = [:]
  var latency = TimeSpan.milliseconds(10)
  /// Says whether a datagram is lost.
  var isLost: (Datagram) -> Bool = { _ in false }
  /// Rewrites a datagram on its way, as a NAT does.
  var translate: (inout Datagram) -> Void = { _ in }
  /// Behind a NAT: an address as the network knows it, and as its owner does.
  var receiveAs: [TransportAddress: TransportAddress] = [:]
  /// For tests that answer in a peer's stead.
  var forged: [Datagram] = []
  /// Datagrams sent by each agent.
  var sentCount = [0, 0]
  let crypto: SeededCrypto
  private var inFlight: [Datagram] = []

  init(
    roles: (ICERole, ICERole) = (.controlling, .controlled), seed: UInt64 = 1, configuration: ICEConfiguration = .init()
  ) {
    crypto = SeededCrypto(seed: seed)
    let crypto = crypto
    agents = [roles.0, roles.1].map {
      ICEAgent(role: $0, credentials: .make(crypto: crypto), crypto: crypto, configuration: configuration)
    }
  }

  /// Gives an agent a host candidate, signalled to the other one only if asked for.
  func addHost(_ agent: Int, _ address: TransportAddress, localPreference: UInt16 = .max, isSignalled: Bool) {
    owners[address] = agent
    let candidate = ICECandidate.host(address, localPreference: localPreference)
    agents[agent].addLocalCandidate(candidate, now: now)
    if isSignalled { agents[1 - agent].addRemoteCandidate(candidate, now: now) }
    drain()
  }

  func exchangeCredentials() {
    for index in 0..<2 { setRemoteCredentials(of: index) }
  }

  /// Tells one agent the other's credentials.
  func setRemoteCredentials(of index: Int) {
    agents[index].setRemoteCredentials(agents[1 - index].localCredentials, now: now)
    drain()
  }

  func run(for span: TimeSpan) {
    let end = now + span
    while let next = nextInstant(), next <= end {
      now = max(now, next)
      deliver()
      for index in 0..<2 where agents[index].deadline.map({ $0 <= now }) == true {
        agents[index].handleTimeout(now: now)
      }
      drain()
    }
    now = end
  }

  /// Runs until both have a path; returns how long that took, or nil if it takes more than a minute.
  func runUntilConnected() -> TimeSpan? {
    let start = now
    while now - start < .seconds(60) {
      if agents.allSatisfy({ $0.selectedPair != nil }) { return now - start }
      run(for: .milliseconds(1))
    }
    return nil
  }

  func inject(_ bytes: [UInt8], into agent: Int, from: TransportAddress, to: TransportAddress) {
    agents[agent].handleDatagram(bytes.span.bytes, from: from, to: to, now: now)
    drain()
  }

  private func nextInstant() -> MonotonicInstant? {
    (agents.compactMap { $0.deadline } + inFlight.map { $0.arrival }).min()
  }

  private func deliver() {
    let due = inFlight.filter { $0.arrival <= now }
    inFlight.removeAll { $0.arrival <= now }
    for datagram in due {
      guard let owner = owners[datagram.to] else { continue }
      agents[owner].handleDatagram(
        datagram.bytes.span.bytes, from: datagram.from, to: receiveAs[datagram.to] ?? datagram.to, now: now)
    }
  }

  func drain() {
    for index in 0..<2 {
      while let datagram = takeDatagram(from: index) {
        sentCount[index] += 1
        if !isLost(datagram) { inFlight.append(datagram) }
      }
      while let event = agents[index].takeEvent() { events[index].append(event) }
    }
  }

  private func takeDatagram(from index: Int) -> Datagram? {
    var buffer = [UInt8](repeating: 0, count: 1_500)
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    guard let transmit = agents[index].takeTransmit(into: &bytes) else { return nil }
    var datagram = Datagram(
      bytes: Array(buffer.prefix(transmit.count)), from: transmit.local, to: transmit.remote, arrival: now + latency)
    translate(&datagram)
    return datagram
  }
}

func address(_ text: String, _ port: UInt16) -> TransportAddress {
  TransportAddress(host: text, port: port)!
}

extension Simulation {
  /// Two agents that have had a path for ten seconds, the first one with a second interface that it would rather not use;
  /// nil if they found none.
  static func twoInterfaces(
    _ first: TransportAddress, _ second: TransportAddress, to peer: TransportAddress, roles: (ICERole, ICERole)
  ) -> Simulation? {
    let simulation = Simulation(roles: roles)
    simulation.addHost(0, first, localPreference: 60_000, isSignalled: true)
    simulation.addHost(0, second, localPreference: 10, isSignalled: true)
    simulation.addHost(1, peer, isSignalled: true)
    simulation.exchangeCredentials()
    guard simulation.runUntilConnected() != nil else { return nil }
    simulation.run(for: .seconds(10))
    return simulation
  }
}
