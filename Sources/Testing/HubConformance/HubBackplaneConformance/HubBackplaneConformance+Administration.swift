internal import HubCore
internal import Signalling
internal import Testing

extension HubBackplaneConformance {
  /// At whichever node.
  func operatorsSeeAndEndCalls() async throws {
    let (alice, bob) = try await pair("seen")
    let ids = [alice.principal.userID, "nobody", bob.principal.userID]
    for node in fleet.nodes { #expect(try await node.online(ids) == [ids[0], ids[2]]) }
    try await alice.call(bob, "seen-1")
    try await bob.awaitEvent(.callIncoming)
    #expect(try await fleet.nodes[2].ongoingCall("seen-1")?.isAnswered == false)
    try await bob.answer("seen-1")
    try await alice.awaitEvent(.callAnswered)
    for node in fleet.nodes {
      let call = try #require(try await node.ongoingCalls().first { $0.id == "seen-1" })
      #expect(call.caller == alice.principal && call.receiver == bob.principal)
      #expect(call.isAnswered && call.age >= .zero && call.age < .seconds(30))
    }
    try await fleet.nodes[2].endCall("seen-1")
    for party in [alice, bob] { #expect(try await party.awaitEvent(.callEnded).contains("hangup")) }
    for node in fleet.nodes {
      #expect(try await node.ongoingCall("seen-1") == nil)
      #expect(try await !node.ongoingCalls().contains { $0.id == "seen-1" })
    }
    try await fleet.nodes[1].endCall("seen-1")
    try await fleet.nodes[1].endCall("never-placed")
  }
}
