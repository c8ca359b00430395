import ICE
import MediaCore
import OpenSSLCrypto
import TestSupport
import Testing

@Suite struct HostileInputTests {
  let a = address("192.0.2.1", 1000)
  let b = address("192.0.2.2", 2000)
  let stranger = address("198.51.100.66", 6666)
  let crypto = OpenSSLCrypto()

  private struct Check {
    var username: String
    var password: String
    var priority: UInt32? = 1
    var tieBreaker: UInt64 = 1
    var useCandidate = true
    var unknown = false
  }

  private func encode(_ check: Check) throws -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 600)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    let id = STUNTransactionID(high: 1, low: crypto.randomUInt64())
    var writer = try STUNMessageWriter(.request, .binding, id, to: &buffer)
    try writer.append(.username, Array(check.username.utf8).span.bytes, to: &buffer)
    if let priority = check.priority { try writer.append(.priority, priority, to: &buffer) }
    try writer.append(.iceControlling, check.tieBreaker, to: &buffer)
    if check.useCandidate { try writer.append(.useCandidate, to: &buffer) }
    if check.unknown { try writer.append(STUNAttributeType(rawValue: 0x7001), UInt32(0), to: &buffer) }
    try writer.appendIntegrity(password: Array(check.password.utf8), crypto: crypto, to: &buffer)
    try writer.appendFingerprint(to: &buffer)
    return Array(storage.prefix(writer.count))
  }

  private func agent() -> ICEAgent {
    var agent = ICEAgent(
      role: .controlled, credentials: ICECredentials(usernameFragment: "ours", password: "secret"), crypto: crypto)
    agent.addLocalCandidate(.host(b), now: .init(nanoseconds: 0))
    agent.setRemoteCredentials(
      ICECredentials(usernameFragment: "them", password: "theirs"), now: .init(nanoseconds: 0))
    return agent
  }

  private func send(_ bytes: [UInt8], to agent: inout ICEAgent, now: MonotonicInstant = .init(nanoseconds: 0)) {
    agent.handleDatagram(bytes.span.bytes, from: stranger, to: b, now: now)
  }

  private func drain(_ agent: inout ICEAgent) -> [(message: STUNMessage, size: Int)] {
    var result: [(message: STUNMessage, size: Int)] = []
    var storage = [UInt8](repeating: 0, count: 1_500)
    while true {
      var span = storage.mutableSpan
      var buffer = span.mutableBytes
      guard let transmit = agent.takeTransmit(into: &buffer) else { return result }
      result.append((try! STUNMessage(buffer.bytes.extracting(0..<transmit.count)), transmit.count))
    }
  }

  @Test func wrongPasswordGetsASmaller401AndChangesNothing() throws {
    var agent = agent()
    let request = try encode(Check(username: "ours:them", password: "guess"))
    send(request, to: &agent)
    let answers = drain(&agent)
    #expect(answers.map(\.message.errorCode) == [401])
    #expect(answers[0].size < request.count)
    #expect(agent.deadlineReason == .connectTimeout)
  }

  @Test(arguments: ["other:them", "ours:other", "ours", "ours:", ":them", "oursx:them"])
  func wrongUsernameGetsNothing(username: String) throws {
    var agent = agent()
    send(try encode(Check(username: username, password: "secret")), to: &agent)
    #expect(drain(&agent).isEmpty)
    #expect(agent.deadlineReason == .connectTimeout)
  }

  @Test func unknownAttributeGets420() throws {
    var agent = agent()
    send(try encode(Check(username: "ours:them", password: "secret", unknown: true)), to: &agent)
    let answers = drain(&agent)
    #expect(answers.map(\.message.errorCode) == [420])
  }

  @Test func missingPriorityGets400() throws {
    var agent = agent()
    send(try encode(Check(username: "ours:them", password: "secret", priority: nil)), to: &agent)
    #expect(drain(&agent).map(\.message.errorCode) == [400])
  }

  @Test func priorityOfAllOnesDoesNotTrap() throws {
    var agent = agent()
    send(try encode(Check(username: "ours:them", password: "secret", priority: .max)), to: &agent)
    let answers = drain(&agent)
    #expect(answers.map(\.message.header.messageClass) == [.successResponse, .request])
    #expect(answers[0].message.mappedAddress == stranger)
  }

  /// Even a peer that knows the password cannot make us keep more than a bounded number of pairs.
  @Test func floodOfAddressesIsBounded() throws {
    var agent = agent()
    let check = try encode(Check(username: "ours:them", password: "secret"))
    for index in 0..<5_000 {
      let now = MonotonicInstant(nanoseconds: Int64(index) * 1_000_000)
      let from = TransportAddress(ipv4: 0xC633_6400 + UInt32(index), port: 9)
      agent.handleDatagram(check.span.bytes, from: from, to: b, now: now)
      _ = drain(&agent)
    }
    var sent = 0
    for second in 5..<35 {
      agent.handleTimeout(now: MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000))
      sent += drain(&agent).count
    }
    #expect(sent > 0 && sent < 800)
  }

  @Test func forgedResponsesAreIgnored() throws {
    let simulation = Simulation()
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.isLost = { [unowned simulation] datagram in
      // Whoever sees the request can echo its transaction id, but cannot sign.
      guard datagram.bytes[0] == 0 else { return true }
      var forged = datagram.bytes
      forged[0] = 1
      simulation.forged.append(
        Simulation.Datagram(
          bytes: forged, from: datagram.to, to: datagram.from, arrival: datagram.arrival))
      return true
    }
    simulation.exchangeCredentials()
    simulation.run(for: .seconds(5))
    #expect(!simulation.forged.isEmpty)
    for datagram in simulation.forged {
      simulation.inject(
        datagram.bytes, into: datagram.to == a ? 0 : 1, from: datagram.from, to: datagram.to)
    }
    simulation.run(for: .milliseconds(10))
    #expect(simulation.agents.allSatisfy { $0.selectedPair == nil })
  }

  @Test func garbageNeitherTrapsNorAnswers() throws {
    let random = SeededCrypto(seed: 5)
    var agent = agent()
    let good = try encode(Check(username: "ours:them", password: "guess"))
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<(1 + random.randomUInt64() % 4) {
        bytes[Int(random.randomUInt64() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.randomUInt64())
      }
      bytes = Array(bytes.prefix(Int(random.randomUInt64() % UInt64(bytes.count + 1))))
      if bytes == good { continue }
      send(bytes, to: &agent)
      #expect(drain(&agent).isEmpty)
    }
  }
}
