public import HubCore
internal import Signalling
internal import TestSupport

/// A node that takes requests at present.
public struct LivingNode: Sendable {
  public let id: String
  public let backplane: any HubBackplane

  public init(id: String, backplane: any HubBackplane) { (self.id, self.backplane) = (id, backplane) }
}

/// Seeded clients of several nodes who place calls, answer them with two programs at once, reject, hang up and let time
/// pass, while the test injects faults; their view is recorded for ``SessionHistories/HistoryCheck``.
public struct SessionWorkload: Sendable {
  /// A caller, and a receiver with two programs.
  private struct Pair: Sendable {
    let caller: HistoryClient
    let receivers: [HistoryClient]
    var clients: [HistoryClient] { [caller] + receivers }
  }

  public let recorder = HistoryRecorder()
  private let limits: HubLimits
  private let seed: UInt64
  private let nodes: @Sendable () -> [LivingNode]
  /// How long a client waits for an expected event.
  private let timeout: Duration

  /// - Parameters:
  ///   - limits: of the nodes.
  ///   - timeout: how long faults may delay an expected event.
  ///   - nodes: those that live.
  public init(
    limits: HubLimits, seed: UInt64, timeout: Duration = .seconds(12), nodes: @escaping @Sendable () -> [LivingNode]
  ) {
    (self.limits, self.seed, self.nodes) = (limits, seed, nodes)
    self.timeout = limits.unansweredTimeout + timeout
  }

  public var rules: HistoryRules {
    HistoryRules(
      unansweredTimeout: microseconds(limits.unansweredTimeout), endedMemory: microseconds(limits.endedSessionMemory))
  }

  /// Runs this many sessions, some concurrently; returns when each party was notified or has waited too long.
  public func run(sessions: Int, atOnce count: Int) async {
    let pairs = (0..<count).map(makePair)
    await withTaskGroup { listeners in
      for client in pairs.flatMap(\.clients) { listeners.addTask { await client.listen() } }
      for client in pairs.flatMap(\.clients) {
        try? await eventually("a client is online") { client.isOnline }
      }
      await withTaskGroup { group in
        for (number, pair) in pairs.enumerated() {
          group.addTask {
            for session in stride(from: number, to: sessions, by: count) { await self.session(session, of: pair) }
          }
        }
      }
      listeners.cancelAll()
    }
  }

  private func makePair(_ number: Int) -> Pair {
    let group: Set<String> = ["history-\(number)"]
    let caller = Principal.person("caller-\(number)", groups: group)
    let receiver = Principal.device("receiver-\(number)", groups: group)
    return Pair(
      caller: HistoryClient(caller, as: .caller, recorder: recorder, nodes: nodes),
      receivers: (0..<2).map {
        HistoryClient(receiver, as: .receiver, number: $0, recorder: recorder, nodes: nodes)
      })
  }

  // MARK: One session

  private func session(_ number: Int, of pair: Pair) async {
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    let id = SessionID("history-\(seed)-\(number)")!
    for client in pair.clients { client.join(id) }
    await withTaskGroup { group in
      let callerChoice = Choice(&random)
      group.addTask { await call(id, from: pair.caller, to: pair.receivers[0].principal, callerChoice) }
      for (index, receiver) in pair.receivers.enumerated() {
        let choice = Choice(&random)
        group.addTask { await receive(id, by: receiver, number: index, choice) }
      }
    }
    for client in pair.clients { client.leave(id) }
  }

  /// What a client does, drawn beforehand.
  private struct Choice: Sendable {
    let dice: Int
    let delay: Duration
    let hangsUp: Bool

    init(_ random: inout SeededGenerator) {
      dice = Int.random(in: 0..<100, using: &random)
      delay = .milliseconds(Int.random(in: 0..<80, using: &random))
      hangsUp = Bool.random(using: &random)
    }
  }

  private func call(_ id: SessionID, from caller: HistoryClient, to receiver: Principal, _ choice: Choice) async {
    guard await caller.perform(.place, in: id, with: receiver) == .done else { return }
    if choice.dice < 15 {
      try? await Task.sleep(for: choice.delay)
      await caller.perform(.hangUp, in: id)
      return
    }
    await wait(for: id, .caller, client: 0, asking: caller) { $0.isOutcomeKnown(to: .caller) }
    guard recorder.history(of: id).received.contains(where: { $0.name == .answered }) else { return }
    try? await Task.sleep(for: choice.delay)
    // A party that does not hang up is notified that the other did; at the end one has to.
    if !choice.hangsUp {
      await wait(for: id, .caller, client: 0, atMost: .milliseconds(300), asking: nil) { $0.hasReceivedEnd(.caller, 0) }
    }
    await caller.perform(.hangUp, in: id)
  }

  private func receive(_ id: SessionID, by receiver: HistoryClient, number: Int, _ choice: Choice) async {
    await wait(for: id, .receiver, client: number, asking: nil) { history in
      history.isRefusedToPlace || history.hasReceived(.incoming, .receiver, number)
    }
    guard recorder.history(of: id).hasReceived(.incoming, .receiver, number) else { return }
    if choice.dice.isMultiple(of: 2) { await receiver.perform(.ring, in: id) }
    try? await Task.sleep(for: choice.delay)
    switch choice.dice {
    case 0..<60:
      let outcome = await receiver.perform(.answer, in: id, mark: "answer of \(number)")
      if outcome == .done, choice.hangsUp { await receiver.perform(.hangUp, in: id) }
    case 60..<72: await receiver.perform(.reject, in: id)
    case 72..<76: await receiver.perform(.hangUp, in: id)
    default: break
    }
    await wait(for: id, .receiver, client: number, asking: receiver) { $0.isOver(for: .receiver, number) }
    if choice.dice.isMultiple(of: 3) { await receiver.perform(.probe, in: id) }
  }

  /// Waits for something of a session; a client whose stream has lost events asks whether the session lives.
  private func wait(
    for id: SessionID, _ party: HistoryParty, client: Int, atMost limit: Duration? = nil, asking: HistoryClient?,
    until condition: (SessionHistory) -> Bool
  ) async {
    let deadline = ContinuousClock.now + (limit ?? timeout)
    var resets = 0
    while ContinuousClock.now < deadline {
      let history = recorder.history(of: id)
      if condition(history) { return }
      let count = history.received.count { $0.name == .reset && $0.party == party && $0.client == client }
      if let asking, count > resets { await asking.perform(.probe, in: id) }
      resets = count
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  private func microseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
  }
}

extension SessionHistory {
  fileprivate func hasReceived(_ name: ReceivedEvent.Name, _ party: HistoryParty, _ client: Int) -> Bool {
    received.contains { $0.name == name && $0.party == party && $0.client == client }
  }

  fileprivate func hasReceivedEnd(_ party: HistoryParty, _ client: Int) -> Bool {
    hasReceived(.ended, party, client) || hasReceived(.rejected, party, client) || isRefused(party)
  }

  fileprivate func isOutcomeKnown(to party: HistoryParty) -> Bool {
    hasReceivedEnd(party, 0) || hasReceived(.answered, party, 0)
  }

  fileprivate func isOver(for party: HistoryParty, _ client: Int) -> Bool {
    hasReceivedEnd(party, client)
      || operations.contains { $0.party == party && [.hangUp, .reject].contains($0.action) && $0.outcome == .done }
  }

  /// An answer informed the party that the session has ended.
  private func isRefused(_ party: HistoryParty) -> Bool {
    operations.contains { $0.party == party && [.ended, .unknownSession].contains($0.outcome) }
  }

  fileprivate var isRefusedToPlace: Bool {
    operations.contains { $0.action == .place && ![.done, .unknown].contains($0.outcome) }
  }
}
