import CallPolicy
import SystemSupport
import MediaCore
import MediaPlaneAPI
import Signalling
import TestSupport
import Testing

@testable import CallEngine

/// Offers what a test says, and does whatever is asked for once a test permits it.
final class FakeActions: CallActions {
  let offered = Mutex<[String]>([])
  let wishes = Mutex<[String]>([])
  let isHeld = Mutex(false)

  func offers(to party: CallActionParty) async -> ActionOffers {
    ActionOffers(actions: offered.withLock { $0 }.map { .init(name: $0, needsPIN: true) })
  }

  func dialledActions(for party: ActionParty) async -> [DialledAction] {
    [
      DialledAction(name: "open-door", code: DTMFCode("9")!, needsPIN: false),
      DialledAction(name: "alarm-off", code: DTMFCode("*7")!, needsPIN: true),
    ]
  }

  func run(_ command: ActionCommand, for asker: CallActionParty, in sessionID: SessionID) async -> ActionAnswer {
    let party = asker.party
    let call = asker.isInCall ? "" : " rings"
    let rights = "\(party.role.map { $0.rawValue } ?? "?") \(party.groups.map { "\($0)" } ?? "?")\(call)"
    wishes.withLock { $0.append("\(command.name) \(command.pin ?? "") \(party.userID) \(rights)") }
    try? await eventually { !isHeld.withLock { $0 } }
    return ActionAnswer(name: command.name, isDone: true)
  }
}

@Suite("Actions of parties of calls", .timeLimit(.minutes(1))) struct ActionTests {
  private func wish(
    _ bench: EngineBench, by userID: String = "anna", _ data: String = #"{"name":"open-door","pin":"1"}"#
  ) async {
    await bench.engine.handle(.signal(SignalEvent(sessionID: "s", userID: userID, type: "action", data: data)))
  }

  private static let done = #"hub signal s action.result {"isDone":true,"name":"open-door"}"#

  @Test func whoIsConnectedLearnsWhatItMayHaveDone() async throws {
    let bench = try EngineBench()
    bench.actions.offered.withLock { $0 = ["open-door"] }
    await bench.connectedCall()
    await bench.log.wait(for: #"hub signal s actions {"actions":[{"name":"open-door","needsPIN":true}]}"#)
  }

  @Test func aWishIsDoneAndAnswered() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await wish(bench)
    await bench.log.wait(for: Self.done)
    #expect(bench.actions.wishes.withLock { $0 } == ["open-door 1 anna user []"])
    #expect(await !bench.lines.contains { $0.contains("signal s actions") })
  }

  @Test(
    "Whom the device has called is known by what the hub tells of its answer",
    arguments: [("user", ["residents"], "user [\"residents\"]"), (nil, nil, "? ?"), ("hacker", [], "anonymous []")])
  func whomTheDeviceHasCalled(role: String?, groups: [String]?, rights: String) async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    let answer = DescriptionEvent(
      sessionID: "s", sdp: "answer", token: EngineBench.token(of: "anna", .publisher), receiverRole: role,
      receiverGroups: groups)
    await bench.engine.handle(.callAnswered(answer))
    await bench.engine.keyFetch?.value
    await bench.log.wait(for: "media accept s answer")
    await bench.engine.handle(.connected(sessionID: "s"))
    await wish(bench)
    await bench.log.wait(for: Self.done)
    #expect(bench.actions.wishes.withLock { $0 } == ["open-door 1 anna \(rights)"])
  }

  @Test func whatIsDialledIsDoneAndAnswered() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await dial("3*7081#", bench)
    await bench.log.wait(for: #"hub signal s action.result {"isDone":true,"name":"alarm-off"}"#)
    await dial("9", bench)
    await bench.log.wait(for: Self.done)
    #expect(bench.actions.wishes.withLock { $0 } == ["alarm-off 081 anna user []", "open-door  anna user []"])
  }

  @Test func nothingIsDialledBeforeACallIsConnected() async throws {
    let bench = try EngineBench()
    await bench.call()
    await bench.log.wait(for: "hub answer s sdp-s")
    await dial("9", bench)
    await bench.engine.handle(.connected(sessionID: "s"))
    #expect(bench.actions.wishes.withLock { $0.isEmpty })
  }

  private func dial(_ digits: String, _ bench: EngineBench) async {
    for digit in digits.unicodeScalars {
      await bench.engine.handle(.digitReceived(sessionID: "s", digit: DTMFDigit(digit)!))
    }
  }

  @Test func ofSomebodyWhomTheDeviceCalledOnlyTheIDIsKnown() async throws {
    let bench = try EngineBench()
    try await bench.connectedOutgoingCall()
    await wish(bench)
    await bench.log.wait(for: Self.done)
    #expect(bench.actions.wishes.withLock { $0 } == ["open-door 1 anna ? ?"])
  }

  @Test func nobodyElseAndNothingStrangeIsHeard() async throws {
    let bench = try EngineBench()
    await bench.call()
    await bench.log.wait(for: "hub answer s sdp-s")
    // Not connected yet.
    await wish(bench)
    await bench.engine.handle(.connected(sessionID: "s"))
    await wish(bench, by: "berta")
    await wish(bench, "open-door")
    await wish(bench, #"{"name":"\#(String(repeating: "x", count: 2_000))"}"#)
    #expect(await !bench.lines.contains { $0.contains("action") })
    #expect(bench.actions.wishes.withLock { $0.isEmpty })
  }

  @Test func oneWishOfACallIsDoneAtATime() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    bench.actions.isHeld.withLock { $0 = true }
    await wish(bench)
    await wish(bench)
    await bench.log.wait(for: #"hub signal s action.result {"isDone":false,"name":"open-door","reason":"busy"}"#)
    bench.actions.isHeld.withLock { $0 = false }
    await bench.log.wait(for: Self.done)
    #expect(bench.actions.wishes.withLock { $0.count } == 1)
  }

  @Test func beyondTheBudgetACallerIsRefusedOnce() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    for _ in 0..<16 { await wish(bench) }
    for _ in 0..<50 { await wish(bench) }
    await bench.log.wait(
      for: #"hub signal s action.result {"isDone":false,"name":"open-door","reason":"rate-limited","wait":1}"#)
    #expect(await bench.lines.count { $0.contains("rate-limited") } == 1)
  }
}
