internal import HubCore
internal import Signalling
internal import TestSupport
internal import Testing

/// What every ``HubCore/HubBackplane`` must do, asked at three nodes of one hub.
public struct HubBackplaneConformance {
  let fleet: BackplaneFleet

  /// - Parameter fleet: of three nodes, with ``BackplaneFleet/limits``.
  public init(_ fleet: BackplaneFleet) {
    self.fleet = fleet
  }

  public func run() async throws {
    try await callsGoFromNodeToNode()
    try await aDeviceLearnsAtWhomItRings()
    try await aCallIsAnsweredOnce()
    try await whoCallEachOtherMeet()
    try await unansweredCallEnds()
    try await aRepeatedRequestChangesNothing()
    try await outsidersLearnNothing()
    try await aStreamResumesOnAnotherNode()
    try await aStreamThatComesAsAnotherGoesIsWoken()
    try await clientThatLostEventsSeesTheCall()
    try await presenceIsSeenFromEveryNode()
    try await presenceLastsAsLongAsTheStream()
    try await severalClientsAreOneUser()
    try await whoVanishesEndsItsCalls()
    try await whoLeavesEndsItsCalls()
    try await whatIsNoLongerHeldEnds()
    try await theNearestComeFirst()
    try await othersSeeRoundedPositions()
    try await limitsHold()
    try await archivesAreAskedAcrossNodes()
    try await eachEndIsReportedOnce()
    try await phonesRingOnce()
    try await aCallThatReachesNoPhoneEnds()
    try await aPageThatClosesLeavesThePhonesRinging()
    try await operatorsSeeAndEndCalls()
    try await aViewNeedsNoStreamOfTheViewers()
    try await aViewEndsWithItsTime()
    try await aViewEndsWithItsLink()
    try await viewersHaveLimitsOfTheirOwn()
  }

  // MARK: Calls

  private func callsGoFromNodeToNode() async throws {
    let (alice, bob) = try await pair("calls")
    try await alice.call(bob, "calls-1")
    #expect(try await bob.awaitEvent(.callIncoming).contains(#""callerID":"alice-calls""#))
    try await bob.say(.ringing, in: "calls-1")
    try await bob.answer("calls-1")
    #expect(try await alice.awaitEvent(.callAnswered).contains(#""token":"receiver-token""#))
    #expect(try await alice.node.isInSession("alice-calls"))
    let chat = SessionMessage.signal(SessionSignal(type: "chat", data: "hello"))
    try await alice.say(chat, in: "calls-1", on: fleet.nodes[2])
    try await bob.awaitEvent(.signal)
    try await alice.say(.offer(SessionDescription(sdp: "again")), in: "calls-1")
    try await bob.awaitEvent(.callOffer)
    try await bob.answer("calls-1", sdp: "again, too", on: fleet.nodes[2])
    try await alice.awaitEvent(.callAnswered, about: "again, too")
    try await bob.say(.end(nil), in: "calls-1")
    #expect(try await alice.awaitEvent(.callEnded).contains("hangup"))
    #expect(alice.names == [.callRinging, .callAnswered, .callAnswered, .callEnded])
    #expect(try await !alice.node.isInSession("alice-calls"))
    await #expect(throws: HubRefusal.sessionEnded) { try await bob.answer("calls-1") }
  }

  /// From each page that rings, on whatever node, and before any answers; what both then say of a preview passes.
  private func aDeviceLearnsAtWhomItRings() async throws {
    let (person, device) = try await pair("rings")
    try await device.call(person, "rings-1")
    try await person.awaitEvent(.callIncoming)
    for node in fleet.nodes {
      try await person.say(.ringing, in: "rings-1", on: node)
      let event = try await device.awaitEvent(.callRinging)
      #expect(event.contains(#""receiverRole":"user""#) && event.contains(#""token":"receiver-token""#))
    }
    let begin = SessionMessage.signal(SessionSignal(type: PreviewSignal.begin, data: #"{"id":"p"}"#))
    try await person.say(begin, in: "rings-1", on: fleet.nodes[2])
    #expect(try await device.awaitEvent(.signal).contains(#""userID":"alice-rings""#))
    let offer = SessionMessage.signal(SessionSignal(type: PreviewSignal.offer, data: #"{"id":"p","sdp":"v=0"}"#))
    try await device.say(offer, in: "rings-1")
    try await person.awaitEvent(.signal, about: "v=0")
    try await person.say(.end(nil), in: "rings-1")
  }

  /// However many answer at once, on any nodes: one answer counts.
  private func aCallIsAnsweredOnce() async throws {
    let (alice, bob) = try await pair("once")
    for round in 0..<20 {
      let id = SessionID("once-\(round)")!
      try await alice.call(bob, id)
      let answered = await withTaskGroup(of: String?.self) { group in
        for (index, node) in fleet.nodes.enumerated() {
          group.addTask { [receiver = bob.principal] in
            let answer = SessionMessage.answer(SessionDescription(sdp: "answer \(round) of \(index)"))
            return (try? await node.receive(answer, in: id, from: receiver)).map { "answer \(round) of \(index)" }
          }
        }
        return await group.reduce(into: [String]()) { all, answer in answer.map { all.append($0) } }
      }
      #expect(answered.count == 1, "of three answers at once \(answered) were taken")
      try await alice.awaitEvent(.callAnswered, about: answered.first ?? "none")
      try await alice.say(.end(nil), in: id)
      try await bob.awaitEvent(.callEnded, about: id.text)
    }
    #expect(alice.names.count { $0 == .callAnswered } == 20)
  }

  /// Two who call each other at the same time end up in one call, never in two and never in none.
  private func whoCallEachOtherMeet() async throws {
    let (alice, bob) = try await pair("glare")
    for round in 0..<20 {
      let (one, other) = (SessionID("glare-a-\(round)")!, SessionID("glare-b-\(round)")!)
      let (caller, callee, nodes) = (alice.principal, bob.principal, fleet.nodes)
      async let first: Void = placeCall(one, from: caller, to: callee.userID, on: nodes[0])
      async let second: Void = placeCall(other, from: callee, to: caller.userID, on: nodes[1])
      let outcomes = [try? await first, try? await second].map { $0 != nil }
      // The lower user id's call continues.
      #expect(outcomes[0], "round \(round)")
      try await bob.awaitEvent(.callIncoming, about: one.text)
      if outcomes[1] { try await bob.awaitEvent(.callEnded, about: other.text) }
      await #expect(throws: (any Error).self) { try await alice.answer(other) }
      try await bob.answer(one)
      try await alice.say(.end(nil), in: one)
      try await bob.awaitEvent(.callEnded, about: one.text)
    }
  }

  private func unansweredCallEnds() async throws {
    let (alice, bob) = try await pair("unanswered")
    try await alice.call(bob, "unanswered-1")
    try await bob.awaitEvent(.callIncoming)
    #expect(try await alice.awaitEvent(.callEnded).contains("unanswered"))
    try await bob.awaitEvent(.callEnded)
  }

  private func aRepeatedRequestChangesNothing() async throws {
    let (alice, bob) = try await pair("repeat")
    try await alice.call(bob, "repeat-1")
    alice.node = fleet.nodes[2]
    try await alice.call(bob, "repeat-1")
    await #expect(throws: HubRefusal.sessionExists) { try await alice.call(bob, "repeat-1", offer: "another") }
    try await bob.answer("repeat-1")
    try await bob.answer("repeat-1", on: fleet.nodes[2])
    await #expect(throws: HubRefusal.answeredElsewhere) { try await bob.answer("repeat-1", sdp: "another") }
    try await bob.say(.end(nil), in: "repeat-1")
    try await bob.say(.end(nil), in: "repeat-1", on: fleet.nodes[0])
    await #expect(throws: HubRefusal.sessionEnded) { try await alice.call(bob, "repeat-1") }
    alice.node = fleet.nodes[0]
    try await alice.awaitEvent(.callEnded)
    try await bob.awaitEvent(.callTaken)
    #expect(bob.names == [.callIncoming, .callTaken])
    #expect(alice.names == [.callAnswered, .callEnded])
  }

  private func outsidersLearnNothing() async throws {
    let (alice, bob) = try await pair("strange")
    let carol = fleet.client(.person("carol-strange", groups: ["other"]), on: 2)
    try await carol.goOnline()
    await #expect(throws: HubRefusal.receiverOffline) { try await carol.call(bob, "strange-1") }
    try await alice.call(bob, "strange-2")
    await #expect(throws: HubRefusal.sessionUnknown) { try await carol.say(.end(nil), in: "strange-2") }
    #expect(try await carol.node.nearby(NearbyQuery(), asker: carol.principal).isEmpty)
    try await alice.say(.end(nil), in: "strange-2")
  }

  // MARK: Event streams

  private func aStreamResumesOnAnotherNode() async throws {
    let (alice, bob) = try await pair("resume")
    try await alice.call(bob, "resume-1")
    try await bob.awaitEvent(.callIncoming)
    bob.disconnect()
    for number in 0..<5 {
      try await alice.say(.signal(SessionSignal(type: "chat", data: "missed \(number)")), in: "resume-1")
    }
    bob.node = fleet.nodes[2]
    try await bob.connect(resuming: bob.lastEventID)
    #expect(!bob.isReset)
    try await alice.say(.signal(SessionSignal(type: "chat", data: "missed last")), in: "resume-1")
    try await bob.awaitEvent(.signal, about: "missed last")
    let signals = bob.received.filter { $0.name == .signal }.map(\.data)
    #expect(signals.count == 6 && (0..<5).allSatisfy { signals[$0].contains("missed \($0)") })
    try await alice.say(.end(nil), in: "resume-1")
  }

  /// A client that reconnects at once, to the same node.
  private func aStreamThatComesAsAnotherGoesIsWoken() async throws {
    let (alice, bob) = try await pair("woken")
    try await alice.call(bob, "woken-1")
    for round in 0..<30 {
      bob.disconnect()
      try await bob.connect(resuming: bob.lastEventID)
      try await bob.read()
      try await Task.sleep(for: .milliseconds(5))
      try await alice.say(.signal(SessionSignal(type: "chat", data: "round \(round).")), in: "woken-1")
      try await bob.awaitEvent(.signal, about: "round \(round).")
    }
    try await alice.say(.end(nil), in: "woken-1")
  }

  private func clientThatLostEventsSeesTheCall() async throws {
    let (alice, bob) = try await pair("lost")
    try await alice.call(bob, "lost-1")
    try await bob.awaitEvent(.callIncoming)
    bob.disconnect()
    bob.node = fleet.nodes[2]
    try await bob.connect(resuming: "another-1")
    #expect(bob.isReset)
    try await eventually("the call is reported once more") {
      try await bob.read()
      return bob.names.count { $0 == .callIncoming } >= 2
    }
    try await bob.answer("lost-1")
    try await alice.awaitEvent(.callAnswered)
    try await alice.say(.end(nil), in: "lost-1")
  }

  // MARK: Presence

  private func presenceIsSeenFromEveryNode() async throws {
    let watcher = fleet.client(.person("watcher-seen", groups: ["seen"]), on: 1)
    try await watcher.goOnline()
    let device = fleet.client(.device("device-seen", groups: ["seen"]), on: 0)
    try await device.goOnline()
    try await watcher.awaitEvent(.presence, about: #""isOnline":true"#)
    #expect(try await titles(watcher) == ["Title device-seen"])
    #expect(try await permits(watcher) == nil)
    try await device.announce(permits: [])
    #expect(try await permits(watcher) == [])
    try await device.announce(permits: ["call", "watch"])
    #expect(try await permits(watcher) == ["call", "watch"])
    try await device.announce(status: .busy)
    try await watcher.awaitEvent(.presence, about: "busy")
    device.disconnect()
    try await watcher.awaitEvent(.presence, about: #""isOnline":false"#)
    #expect(try await titles(watcher).isEmpty)
    device.node = fleet.nodes[2]
    try await device.connect()
    try await eventually("the device is seen again") { try await titles(watcher) == ["Title device-seen"] }
  }

  /// Without a heartbeat, for longer than presence lasts without a stream.
  private func presenceLastsAsLongAsTheStream() async throws {
    let watcher = fleet.client(.person("watcher-lasts", groups: ["lasts"]), on: 1)
    let device = fleet.client(.device("device-lasts", groups: ["lasts"]), on: 0)
    try await device.goOnline()
    try await watcher.goOnline()
    try await Task.sleep(for: BackplaneFleet.limits.presenceLifetime + .milliseconds(500))
    #expect(try await titles(watcher) == ["Title device-lasts"])
    try await watcher.call(device, "lasts-1")
    try await device.awaitEvent(.callIncoming)
    try await watcher.say(.end(nil), in: "lasts-1")
    device.disconnect()
    try await eventually("the device is gone") { try await titles(watcher).isEmpty }
  }

  private func severalClientsAreOneUser() async throws {
    let watcher = fleet.client(.person("watcher-several", groups: ["several"]), on: 1)
    try await watcher.goOnline()
    let person = Principal.person("person-several", groups: ["several"])
    let (first, second) = (fleet.client(person, on: 0), fleet.client(person, on: 2))
    try await first.goOnline()
    try await second.goOnline()
    try await first.announce(status: .busy)
    #expect(try await status(seenBy: watcher) == .available)
    try await second.announce(status: .busy)
    #expect(try await status(seenBy: watcher) == .busy)
    try await second.announce(status: .doNotDisturb)
    #expect(try await status(seenBy: watcher) == .doNotDisturb)
    try await second.node.withdrawPresence(userID: person.userID, streamID: second.streamID)
    #expect(try await status(seenBy: watcher) == .busy)
    second.disconnect()
    try await eventually("the other client stays") { try await status(seenBy: watcher) == .busy }
    try await first.node.withdrawPresence(userID: person.userID, streamID: first.streamID)
    #expect(try await titles(watcher).isEmpty)
  }

  private func whoVanishesEndsItsCalls() async throws {
    let (alice, bob) = try await pair("vanish")
    try await alice.call(bob, "vanish-1")
    try await bob.answer("vanish-1")
    bob.disconnect()
    #expect(try await alice.awaitEvent(.callEnded).contains("vanished"))
    await #expect(throws: HubRefusal.receiverOffline) { try await alice.call(bob, "vanish-2") }
  }

  private func whoLeavesEndsItsCalls() async throws {
    let (alice, bob) = try await pair("leave")
    try await alice.call(bob, "leave-1")
    try await bob.answer("leave-1")
    try await bob.node.withdrawPresence(userID: bob.principal.userID, streamID: bob.streamID)
    #expect(try await alice.awaitEvent(.callEnded).contains("vanished"))
  }

  private func whatIsNoLongerHeldEnds() async throws {
    let (alice, bob) = try await pair("held")
    try await alice.call(bob, "held-1")
    try await alice.call(bob, "held-2")
    try await bob.answer("held-1")
    try await bob.answer("held-2")
    try await Task.sleep(for: BackplaneFleet.limits.reconciliationGrace)
    try await bob.announce(sessions: ["held-2"])
    #expect(try await alice.awaitEvent(.callEnded).contains("held-1"))
    #expect(try await alice.node.isInSession(alice.principal.userID))
    try await alice.say(.end(nil), in: "held-2")
  }

  // MARK: Nearby

  private func theNearestComeFirst() async throws {
    let asker = fleet.client(.person("asker-near", role: .operator, groups: ["near"]), on: 0)
    try await asker.goOnline(at: UserLocation(latitude: 52, longitude: 13))
    // Beyond the antimeridian, at a pole, without a position.
    let places: [(String, UserLocation?)] = [
      ("1", UserLocation(latitude: 52.001, longitude: 13)), ("2", UserLocation(latitude: 52.1, longitude: 13.1)),
      ("3", UserLocation(latitude: 48, longitude: 2)), ("4", UserLocation(latitude: 89.9, longitude: 13)),
      ("5", UserLocation(latitude: 10, longitude: 179.9)), ("6", UserLocation(latitude: -80, longitude: -167)),
      ("7", nil),
    ]
    for (index, (name, place)) in places.enumerated() {
      try await fleet.client(.device("near-\(name)", groups: ["near"]), on: index).goOnline(at: place)
    }
    let all = try await asker.node.nearby(NearbyQuery(), asker: asker.principal)
    #expect(all.map(\.userID) == places.map { "near-\($0.0)" })
    #expect(abs((all.first?.distance ?? 0) - 111.2) < 1 && all.last?.distance == nil)
    let near = try await fleet.nodes[2].nearby(NearbyQuery(within: 20_000), asker: asker.principal)
    #expect(near.map(\.userID) == ["near-1", "near-2"])
    let few = try await fleet.nodes[1].nearby(NearbyQuery(limit: 1), asker: asker.principal)
    #expect(few.map(\.userID) == ["near-1"])
    let west = UserLocation(latitude: 10, longitude: -179.9)
    let across = try await fleet.nodes[1].nearby(NearbyQuery(origin: west, within: 50_000), asker: asker.principal)
    #expect(across.map(\.userID) == ["near-5"])
  }

  private func othersSeeRoundedPositions() async throws {
    let asker = fleet.client(.person("asker-round", groups: ["round"]), on: 0)
    try await asker.goOnline(at: UserLocation(latitude: 50.0001, longitude: 8))
    let place = UserLocation(latitude: 50.0042, longitude: 8.0013)
    try await fleet.client(.device("device-round", groups: ["round"]), on: 1).goOnline(at: place)
    let seen = try await fleet.nodes[2].nearby(NearbyQuery(), asker: asker.principal)
    #expect(seen.first?.userLocation == place.rounded)
    let within = try await fleet.nodes[2].nearby(NearbyQuery(origin: place, within: 1), asker: asker.principal)
    #expect(within.isEmpty)
  }

  // MARK: Limits and archives

  private func limitsHold() async throws {
    let (alice, bob) = try await pair("limits")
    for number in 0..<BackplaneFleet.limits.unansweredCallsPerCaller {
      let other = fleet.client(.device("bob-limits-\(number)", groups: ["limits"]), on: number)
      try await other.goOnline()
      try await alice.call(other, SessionID("limits-\(number)")!)
    }
    alice.node = fleet.nodes[2]
    await #expect(throws: HubRefusal.tooMany("unanswered calls of one caller", retryAfter: 10)) {
      try await alice.call(bob, "limits-x")
    }
    await #expect(throws: HubRefusal.notAllowed("one cannot call oneself")) { try await alice.call(alice, "limits-y") }
    for number in 0..<BackplaneFleet.limits.streamsPerUser - 1 {
      try await fleet.client(bob.principal, on: number).connect()
    }
    let surplus = fleet.client(bob.principal, on: 2)
    await #expect(throws: HubRefusal.tooMany("event streams of one user", retryAfter: 5)) {
      try await surplus.connect()
    }
    let admitted = await admittedTokens()
    #expect(admitted == BackplaneFleet.limits.tokensPerMinute)
  }

  private func admittedTokens() async -> Int {
    var admitted = 0
    for number in 0..<BackplaneFleet.limits.tokensPerMinute + 3 {
      guard (try? await fleet.nodes[number % 3].admitToken(for: "user limits")) != nil else { continue }
      admitted += 1
    }
    return admitted
  }

  private func archivesAreAskedAcrossNodes() async throws {
    let asker = fleet.client(.person("asker-archive", role: .operator, groups: ["archive"]), on: 2)
    let device = fleet.client(.device("device-archive", groups: ["archive"]), on: 1)
    try await device.goOnline()
    let (path, deviceID) = (try ArchivePath(), device.principal.userID)
    try await asker.node.request(
      .archive(path, range: nil), of: deviceID, by: asker.principal, uploadID: "upload-1")
    try await device.awaitEvent(.request, about: "upload-1")
    await #expect(throws: (any Error).self) { try await asker.node.claimUpload("upload-1", by: "another") }
    if case .node(_, let ticket) = try await device.node.claimUpload("upload-1", by: deviceID) {
      for wrong in ["", ticket + "x", String(ticket.reversed())] {
        await #expect(throws: (any Error).self) { try await asker.node.claimRelayedUpload("upload-1", ticket: wrong) }
      }
      await #expect(throws: (any Error).self) { try await device.node.claimRelayedUpload("upload-1", ticket: ticket) }
      try await asker.node.claimRelayedUpload("upload-1", ticket: ticket)
      await #expect(throws: (any Error).self) { try await asker.node.claimRelayedUpload("upload-1", ticket: ticket) }
    }
    await #expect(throws: (any Error).self) { try await device.node.claimUpload("upload-1", by: deviceID) }
    asker.node.finishUpload("upload-1")
    let outsider = Principal.person("user-archive", groups: ["archive"])
    await #expect(throws: HubRefusal.notAllowed("archives are for operators")) {
      try await asker.node.request(
        .archive(path, range: nil), of: deviceID, by: outsider, uploadID: "upload-2")
    }
  }

  // MARK: Parts

  /// A user and a device of a group of their own, online on two nodes.
  func pair(_ name: String) async throws -> (BackplaneClient, BackplaneClient) {
    let alice = fleet.client(.person("alice-\(name)", groups: [name]), on: 0)
    let bob = fleet.client(.device("bob-\(name)", groups: [name]), on: 1)
    try await alice.goOnline()
    try await bob.goOnline()
    return (alice, bob)
  }

  private func titles(_ client: BackplaneClient) async throws -> [String] {
    try await client.node.nearby(NearbyQuery(), asker: client.principal).map(\.userTitle)
  }

  private func permits(_ client: BackplaneClient) async throws -> [String]? {
    try await client.node.nearby(NearbyQuery(), asker: client.principal).first?.permits
  }

  private func status(seenBy client: BackplaneClient) async throws -> PresenceStatus? {
    try await client.node.nearby(NearbyQuery(), asker: client.principal).first?.status
  }
}

extension Principal {
  static func person(_ id: String, role: UserRole = .user, groups: Set<String>) -> Principal {
    Principal(userID: id, userTitle: "Title \(id)", role: role, kind: .person, groups: groups)
  }

  static func device(_ id: String, groups: Set<String>) -> Principal {
    Principal(userID: id, userTitle: "Title \(id)", role: .device, kind: .device, groups: groups)
  }
}
