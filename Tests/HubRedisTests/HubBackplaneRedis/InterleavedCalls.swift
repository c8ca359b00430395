import HubCore
import SystemSupport
import Logging
import RedisClient
import Signalling
import TestSupport

@testable import HubRedis

/// Two people and two calls between them, on three nodes of which two may die, in an order that a seed chooses.
final class InterleavedCalls {
  /// What became of a request, as its client sees it.
  enum Outcome: Sendable, Equatable {
    case done
    case refused(String)
    /// The node died, or gave up: the client does not know.
    case unknown
  }

  private final class History: Sendable {
    let outcomes = Mutex<[String: Outcome]>([:])
  }

  /// Nobody kills this one: what the others leave behind it finishes.
  static let survivor = 2

  let seed: UInt64
  let alice: Principal
  let bob: Principal
  /// Of Alice, whose id is the lower one, and of Bob.
  let calls: [SessionID]
  let nodes: [SessionStore]
  private let interleaving: Interleaving
  private let history = History()
  private let start = Instant.now
  private var random: SeededGenerator

  init(seed: UInt64, redis: RedisClient) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    alice = Principal(userID: "a\(seed)", userTitle: "Alice", role: .user, kind: .person, groups: ["g"])
    bob = Principal(userID: "b\(seed)", userTitle: "Bob", role: .user, kind: .person, groups: ["g"])
    calls = ["call-\(seed)-a", "call-\(seed)-b"].map { SessionID($0)! }
    let isCluster = seed.isMultiple(of: 2)
    let interleaving = Interleaving(redis, isCluster: isCluster)
    self.interleaving = interleaving
    let start = start
    nodes = (0...Self.survivor).map { index in
      let link = RedisLink(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
        stages throws(RedisFailure) in
        try await interleaving.send(stages: stages, by: index)
      }
      let context = NodeContext(link: link, limits: HubLimits(), name: "node-\(index)")
      context.clock.observe(1_800_000_000_000, sentAt: start, receivedAt: start)
      return SessionStore(
        link: link, clock: context.clock, limits: context.limits, delivery: EventDelivery(limits: context.limits),
        counters: context.counters
      ) { _ in }
    }
  }

  func outcome(_ request: String) -> Outcome? { outcomes[request] }

  var outcomes: [String: Outcome] { history.outcomes.withLock { $0 } }

  // MARK: What happens

  /// Places one call or both, some of them twice; then, where a client does not know, once more on a node that lives.
  func place() async throws {
    var operations = [placement(0, "place a", on: anyNode())]
    if chance(60) { operations.append(placement(1, "place b", on: anyNode())) }
    if chance(30) { operations.append(placement(0, "place a again", on: anyNode())) }
    try await run(operations, mayKill: 0)
    for (index, name) in ["place a", "place b"].enumerated() where outcome(name) == .unknown {
      try await run([placement(index, name, on: Self.survivor)], mayKill: nil)
    }
  }

  /// Answers, rejections, ends and time-outs at once, of each call that is up.
  func talk(about calls: [Int]) async throws {
    guard !calls.isEmpty else { return }
    var operations: [Interleaving.Operation] = []
    for call in calls {
      let (caller, receiver) = call == 0 ? (alice, bob) : (bob, alice)
      operations += [
        message(.answer(SessionDescription(sdp: "x")), "answer x", call, by: receiver),
        message(.answer(SessionDescription(sdp: "y")), "answer y", call, by: receiver),
      ]
      if chance(40) { operations.append(message(.ringing, "ringing", call, by: receiver)) }
      if chance(30) { operations.append(message(.reject(SessionEnding(reason: "busy")), "reject", call, by: receiver)) }
      if chance(30) { operations.append(message(.end(nil), "end by caller", call, by: caller)) }
      if chance(20) { operations.append(message(.end(nil), "end by receiver", call, by: receiver)) }
      if chance(30) { operations.append(sweep(call, on: anyNode())) }
    }
    try await run(operations, mayKill: 1)
  }

  /// What is due gets looked after by a node that lives, a minute later.
  func recover() async throws {
    for call in calls.indices { try await run([sweep(call, on: Self.survivor)], mayKill: nil) }
  }

  // MARK: Parts

  /// Runs operations, and lets `node` die in the midst of them, or not.
  private func run(_ operations: [Interleaving.Operation], mayKill node: Int?) async throws {
    let isKilled = chance(70)
    let step = Int.random(in: 1...(12 * operations.count), using: &random)
    let death = node.flatMap { isKilled ? Interleaving.Death(node: $0, step: step) : nil }
    try await interleaving.run(operations, death: death, random: &random)
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private func anyNode() -> Int { Int.random(in: 0...Self.survivor, using: &random) }

  private func placement(_ call: Int, _ name: String, on node: Int) -> Interleaving.Operation {
    let (caller, receiver) = call == 0 ? (alice, bob) : (bob, alice)
    let request = SessionRequest(receiverID: receiver.userID, isAudio: true, isVideo: true, offer: "offer")
    let context = CallContext(request, from: (caller, nil), to: (receiver, nil), known: nil)
    let placement = CallPlacement(
      sessionID: calls[call], caller: caller, request: request, context: context,
      tokens: PartyTokens(caller: "c", receiver: "r"), receiverICEServers: [])
    return operation(name, on: node) { [store = nodes[node], start] () throws(HubRefusal) in
      _ = try await store.place(placement, now: start)
    }
  }

  private func message(
    _ message: SessionMessage, _ name: String, _ call: Int, by sender: Principal
  ) -> Interleaving.Operation {
    let node = anyNode()
    return operation("\(name) \(call)", on: node) {
      [store = nodes[node], id = calls[call], start] () throws(HubRefusal) in
      try await store.receive(message, in: id, from: sender, now: start + .seconds(1))
    }
  }

  /// As if the time to answer were over.
  private func sweep(_ call: Int, on node: Int) -> Interleaving.Operation {
    operation("look after \(call)", on: node) { [store = nodes[node], id = calls[call], start] () throws(HubRefusal) in
      _ = try await store.sweep(id, now: start + .seconds(61))
    }
  }

  private func operation(
    _ name: String, on node: Int, _ body: @escaping @Sendable () async throws(HubRefusal) -> Void
  ) -> Interleaving.Operation {
    Interleaving.Operation(node: node) { [history] in
      var outcome = Outcome.done
      do throws(HubRefusal) {
        try await body()
      } catch .overloaded {
        outcome = .unknown
      } catch {
        outcome = .refused(error.problem.type)
      }
      history.outcomes.withLock { $0[name] = outcome }
    }
  }
}
