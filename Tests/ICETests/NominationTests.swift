import ICE
import MediaCore
import OpenSSLCrypto
import Testing

/// A controlled agent against a peer that follows a script: it answers every check and nominates what it likes.
@Suite struct NominationTests {
  private let local = address("192.0.2.2", 2000)
  private let good = address("192.0.2.1", 1000)
  private let poor = address("198.51.100.1", 1000)
  private let crypto = OpenSSLCrypto()
  private let goodPriority = ICECandidate.makePriority(.host, localPreference: 60_000)
  private let poorPriority = ICECandidate.makePriority(.host, localPreference: 10)

  private func makeAgent() -> ICEAgent {
    var agent = ICEAgent(
      role: .controlled, credentials: ICECredentials(usernameFragment: "ours", password: "secret"), crypto: crypto)
    agent.addLocalCandidate(.host(local), now: .init(nanoseconds: 0))
    agent.setRemoteCredentials(
      ICECredentials(usernameFragment: "them", password: "theirs"), now: .init(nanoseconds: 0))
    return agent
  }

  /// Sends a check from an address and answers whatever the agent asks.
  private func check(
    _ agent: inout ICEAgent, from remote: TransportAddress, priority: UInt32, nominating: Bool, at seconds: Int64
  ) throws {
    let now = MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    let request = try write(.request, STUNTransactionID(high: 1, low: crypto.randomUInt64()), "secret") {
      writer, buffer in
      try writer.append(.username, Array("ours:them".utf8).span.bytes, to: &buffer)
      try writer.append(.priority, priority, to: &buffer)
      try writer.append(.iceControlling, UInt64(1), to: &buffer)
      if nominating { try writer.append(.useCandidate, to: &buffer) }
    }
    agent.handleDatagram(request.span.bytes, from: remote, to: local, now: now)
    agent.handleTimeout(now: now + .milliseconds(50))
    try answer(&agent, now: now + .milliseconds(60))
  }

  private func answer(_ agent: inout ICEAgent, now: MonotonicInstant) throws {
    var storage = [UInt8](repeating: 0, count: 600)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    while let transmit = agent.takeTransmit(into: &buffer) {
      let message = try STUNMessage(buffer.bytes.extracting(0..<transmit.count))
      guard message.header.messageClass == .request else { continue }
      let response = try write(.successResponse, message.header.transactionID, "theirs") { writer, buffer in
        try writer.appendMappedAddress(local, to: &buffer)
      }
      agent.handleDatagram(response.span.bytes, from: transmit.remote, to: local, now: now)
    }
  }

  private func write(
    _ messageClass: STUNClass, _ id: STUNTransactionID, _ password: String,
    _ body: (inout STUNMessageWriter, inout MutableRawSpan) throws -> Void
  ) throws -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 600)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    var writer = try STUNMessageWriter(messageClass, .binding, id, to: &buffer)
    try body(&writer, &buffer)
    try writer.appendIntegrity(password: Array(password.utf8), crypto: crypto, to: &buffer)
    try writer.appendFingerprint(to: &buffer)
    return Array(storage.prefix(writer.count))
  }

  @Test func nothingIsSelectedBeforeTheNomination() throws {
    var agent = makeAgent()
    try check(&agent, from: good, priority: goodPriority, nominating: false, at: 1)
    #expect(agent.selectedPair == nil)
    try check(&agent, from: good, priority: goodPriority, nominating: true, at: 2)
    #expect(agent.selectedPair == ICESelectedPair(local: local, remote: good))
  }

  /// RFC 5245's aggressive nomination names every pair and means the best one.
  @Test func aggressiveNominatorsBestPairWins() throws {
    for order in [[good, poor], [poor, good]] {
      var agent = makeAgent()
      for remote in [good, poor] {
        try check(
          &agent, from: remote, priority: remote == good ? goodPriority : poorPriority, nominating: false, at: 1)
      }
      for remote in order {
        try check(
          &agent, from: remote, priority: remote == good ? goodPriority : poorPriority, nominating: true, at: 2)
      }
      #expect(agent.selectedPair?.remote == good)
    }
  }

  @Test func aLaterNominationMovesThePath() throws {
    var agent = makeAgent()
    try check(&agent, from: poor, priority: poorPriority, nominating: false, at: 1)
    try check(&agent, from: good, priority: goodPriority, nominating: true, at: 1)
    #expect(agent.takeEvent() == .connected(ICESelectedPair(local: local, remote: good)))
    try check(&agent, from: poor, priority: poorPriority, nominating: true, at: 10)
    #expect(agent.takeEvent() == .selectedPairChanged(ICESelectedPair(local: local, remote: poor)))
  }

  /// A check from an unheard-of address that nominates it moves the path at once.
  @Test func nominationFromANewAddressMovesThePath() throws {
    var agent = makeAgent()
    try check(&agent, from: good, priority: goodPriority, nominating: true, at: 1)
    try check(&agent, from: poor, priority: poorPriority, nominating: true, at: 2)
    #expect(agent.selectedPair?.remote == poor)
  }

  @Test func failsWhenThePeerNeverNominates() throws {
    var agent = makeAgent()
    try check(&agent, from: good, priority: goodPriority, nominating: false, at: 1)
    agent.handleTimeout(now: MonotonicInstant(nanoseconds: 31_000_000_000))
    #expect(agent.takeEvent() == .failed(.noNomination))
  }
}
