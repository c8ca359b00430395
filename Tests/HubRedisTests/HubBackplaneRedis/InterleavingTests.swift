import Foundation
import HubCore
import RedisClient
import TestServers
import Signalling
import TestSupport
import Testing

@testable import HubRedis

/// The decisions of several nodes about the same calls in seeded orders, with nodes that die after any step: the hub's own
/// code on a real Redis.
///
/// More seeds: `LIVESESSIONS_INTERLEAVINGS=10000`.
@Suite(.enabled(if: RedisTestServer.isInstalled), .timeLimit(.minutes(30)))
struct InterleavingTests {
  private static var seeds: UInt64 {
    ProcessInfo.processInfo.environment["LIVESESSIONS_INTERLEAVINGS"].flatMap { UInt64($0) } ?? 150
  }

  @Test func whateverTheOrderCallsAreDecidedOnceAndTold() async throws {
    let redis = try RedisTestServer()
    defer { redis.stop() }
    var settings = RedisConnectionSettings(.unixSocket(path: redis.socketPath))
    settings.libraries = [FunctionLibrary.library]
    let client = RedisClient(settings)
    let running = Task { await client.run() }
    try await eventually { (try? await client.send([RedisCommand("PING", keyPosition: nil)])) != nil }
    var reached: Set<String> = []
    for seed in 1...Self.seeds {
      let stage = InterleavedCalls(seed: seed, redis: client)
      try await stage.place()
      let placed = try await CallOracle(stage, client)
      placed.requireOneCall()
      try await stage.talk(about: placed.liveCalls)
      try await stage.recover()
      let oracle = try await CallOracle(stage, client)
      oracle.requireOneStory()
      reached.formUnion(stage.outcomes.map { "\($0.key.prefix { $0 != " " }) \($0.value)" })
      if !placed.complaints.isEmpty || !oracle.complaints.isEmpty { break }
    }
    // The orders are worth something only if they lead to all of it.
    #expect(
      reached.isSuperset(of: [
        "place done", "place refused(\"glare\")", "place unknown", "answer done", "answer unknown",
        "answer refused(\"answered-elsewhere\")", "answer refused(\"session-ended\")", "reject done", "end done",
        "look done",
      ]), "\(reached.sorted())")
    running.cancel()
    await running.value
  }
}

/// Reads what Redis knows of two calls, and what their parties were told.
private final class CallOracle {
  private let stage: InterleavedCalls
  private let sessions: [StoredSession?]
  /// By user id, in order.
  private let heard: [String: [(name: EventName, data: String)]]
  private let listed: [String: Set<String>]
  private let live: Set<String>
  private let pair: RedisValue
  private(set) var complaints: [String] = []

  init(_ stage: InterleavedCalls, _ client: RedisClient) async throws {
    self.stage = stage
    let clock = SharedClock()
    var sessions: [StoredSession?] = []
    for id in stage.calls {
      let fields = try await client.send([RedisCommand("HMGET", [RedisKeys.session(id), "version", "record", "told"])])[
        0]
      sessions.append(StoredSession(version: fields[0], record: fields[1], told: fields[2], clock: clock))
    }
    var heard: [String: [(name: EventName, data: String)]] = [:]
    var listed: [String: Set<String>] = [:]
    for user in [stage.alice.userID, stage.bob.userID] {
      let keys = UserKeys(user)
      let replies = try await client.send([
        RedisCommand("XRANGE", [keys.events, "-", "+"]), RedisCommand("ZRANGE", [keys.sessions, "0", "-1"]),
      ])
      heard[user] = replies[0].members.compactMap { entry in
        guard let name = entry[1][1].text.flatMap(EventName.init), let data = entry[1][3].text else { return nil }
        return (name, data)
      }
      listed[user] = Set(replies[1].texts)
    }
    var live: Set<String> = []
    for id in stage.calls {
      live.formUnion(try await client.send([RedisCommand("ZRANGE", [RedisKeys.liveSessions(id), "0", "-1"])])[0].texts)
    }
    let key = RedisKeys.pair(stage.alice.userID, stage.bob.userID)
    pair = try await client.send([RedisCommand("HGETALL", [key])])[0]
    (self.sessions, self.heard, self.listed, self.live) = (sessions, heard, listed, live)
  }

  /// The calls that are up.
  var liveCalls: [Int] { sessions.indices.filter { sessions[$0]?.session.map { !$0.isEnded } ?? false } }

  // MARK: What must hold

  /// Of two who call each other one call goes on, and that of the lower user id if both were placed.
  func requireOneCall() {
    require(liveCalls.count <= 1, "both calls are up")
    if stage.outcome("place a") == .done { require(liveCalls == [0], "the lower id's call was placed and is not up") }
    if stage.outcome("place b") == .done, stage.outcome("place a") != .done {
      require(liveCalls == [1], "the only call was placed and is not up")
    }
    for call in liveCalls {
      require(count(.callIncoming, call, to: receiver(of: call)) == 1, "call \(call) is not told once")
    }
  }

  func requireOneStory() {
    for call in stage.calls.indices {
      requireOneAnswer(call)
      requireOneEnd(call)
      requireOrder(call)
      requireBookkeeping(call)
    }
  }

  /// An answer that was taken is told, and no two are.
  private func requireOneAnswer(_ call: Int) {
    let answers = events(call, to: caller(of: call)).filter { $0.name == .callAnswered }
    require(answers.count <= 1, "call \(call) was answered \(answers.count) times")
    let taken = ["x", "y"].filter { stage.outcome("answer \($0) \(call)") == .done }
    require(taken.count <= 1, "both answers to call \(call) were taken")
    for sdp in taken {
      require(answers.first?.data.contains("\"sdp\":\"\(sdp)\"") == true, "answer \(sdp) is not told")
    }
    if !answers.isEmpty {
      require(
        count(.callTaken, call, to: receiver(of: call)) >= 1, "the receiver's others go on ringing in call \(call)")
    }
  }

  /// Who did not end a call hears of its end, once.
  private func requireOneEnd(_ call: Int) {
    guard let stored = sessions[call], let session = stored.session else { return }
    require(stored.isReported, "the last change of call \(call) is not told")
    for (party, own) in [(caller(of: call), ["end by caller"]), (receiver(of: call), ["end by receiver", "reject"])] {
      let ends = events(call, to: party).count { $0.name == .callEnded || $0.name == .callRejected }
      require(ends <= 1, "\(party) hears \(ends) ends of call \(call)")
      let wasOwn = own.contains { [.done, .unknown].contains(stage.outcome("\($0) \(call)")) }
      if session.isEnded, !wasOwn { require(ends == 1, "\(party) does not hear of the end of call \(call)") }
      if !session.isEnded { require(ends == 0, "\(party) hears of the end of call \(call), which is up") }
    }
    require(session.isEnded || session.isAnswered, "call \(call) rings for ever")
  }

  /// Nothing follows the end; it rings before it is answered.
  private func requireOrder(_ call: Int) {
    for party in [caller(of: call), receiver(of: call)] {
      let names = events(call, to: party).map(\.name)
      let end = names.firstIndex { $0 == .callEnded || $0 == .callRejected }
      if let end {
        require(names[(end + 1)...].allSatisfy { $0 == .callTaken }, "\(party) hears \(names) of call \(call)")
      }
      if let answer = names.firstIndex(of: .callAnswered), let ringing = names.firstIndex(of: .callRinging) {
        require(ringing < answer, "\(party) hears \(names) of call \(call)")
      }
      require(Set(names).count == names.count, "\(party) hears twice: \(names) of call \(call)")
    }
  }

  /// Lists name the calls that are up, and an ended one bars nobody's way.
  private func requireBookkeeping(_ call: Int) {
    guard let session = sessions[call]?.session else { return }
    let id = stage.calls[call].text
    require(live.contains(id) == !session.isEnded, "the list of live calls is wrong about call \(call)")
    for user in [caller(of: call), receiver(of: call)] {
      require(listed[user]?.contains(id) == !session.isEnded, "the list of \(user) is wrong about call \(call)")
    }
    require(!pair.texts.contains(id), "call \(call) bars the way for others")
  }

  // MARK: Parts

  private func caller(of call: Int) -> String { call == 0 ? stage.alice.userID : stage.bob.userID }

  private func receiver(of call: Int) -> String { call == 0 ? stage.bob.userID : stage.alice.userID }

  private func events(_ call: Int, to user: String) -> [(name: EventName, data: String)] {
    (heard[user] ?? []).filter { $0.data.contains("\"\(stage.calls[call])\"") }
  }

  private func count(_ name: EventName, _ call: Int, to user: String) -> Int {
    events(call, to: user).count { $0.name == name }
  }

  private func require(_ condition: Bool, _ complaint: String, _ location: SourceLocation = #_sourceLocation) {
    guard !condition else { return }
    complaints.append(complaint)
    let story = heard.map { "\($0.key): \($0.value.map(\.name.rawValue))" }.sorted()
    Issue.record("seed \(stage.seed): \(complaint); \(stage.outcomes); \(story)", sourceLocation: location)
  }
}
