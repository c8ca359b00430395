import ICE
import MediaCore
import TestSupport
import Testing

@Suite struct TURNClientTests {
  @Test(arguments: [false, true])
  func anAllocationIsMadeWithTheCredentialsThatTheServerAsksFor(isStream: Bool) {
    let stage = TURNStage(isStream: isStream)
    stage.allocate()
    #expect(stage.client.relayedAddress == address("192.0.2.1", 50_001))
    #expect(stage.sentCount == 2)
    #expect(stage.server.counts.offences.isEmpty)
  }

  @Test(arguments: [false, true])
  func dataGoesInIndicationsUntilAChannelIsBound(isStream: Bool) {
    let stage = TURNStage(isStream: isStream)
    stage.allocate()
    stage.client.permit(TURNStage.peer, now: stage.now)
    stage.drain()
    stage.run(for: .milliseconds(50))
    for count in 1...5 { exchange([UInt8](repeating: UInt8(count), count: count), stage) }
    #expect(stage.server.counts.sendIndications == 5)
    stage.client.bindChannel(to: TURNStage.peer, now: stage.now)
    stage.drain()
    stage.run(for: .milliseconds(50))
    for count in 1...5 { exchange([UInt8](repeating: UInt8(count), count: count), stage) }
    #expect(stage.server.counts.sendIndications == 5)
    #expect(stage.server.counts.channelDataIn == 5)
    #expect(stage.server.counts.channelDataOut == 5)
    #expect(stage.server.counts.unpermitted == 0)
    #expect(stage.server.counts.offences.isEmpty)
  }

  private func exchange(_ bytes: [UInt8], _ stage: TURNStage) {
    stage.send(bytes)
    stage.sendBack(bytes)
    #expect(stage.relayed.last?.bytes == bytes)
    #expect(stage.relayed.last?.from == stage.client.relayedAddress)
    #expect(stage.received.last?.bytes == bytes)
    #expect(stage.received.last?.peer == TURNStage.peer)
  }

  @Test func peersOfIPv6AreReachedWithinTheHeadroom() {
    let stage = TURNStage(wantsIPv6: true)
    stage.server.rules.relaysIPv6 = true
    stage.allocate()
    #expect(stage.client.relayedAddress?.isIPv6 == true)
    let peer = address("2001:db8::7", 4_000)
    stage.client.permit(peer, now: stage.now)
    stage.drain()
    stage.run(for: .milliseconds(50))
    stage.send([1, 2, 3], to: peer)
    stage.sendBack([4, 5], from: peer)
    #expect(stage.relayed.last?.bytes == [1, 2, 3])
    #expect(stage.received.last?.bytes == [4, 5])
  }

  @Test func theOtherFamilyIsTriedWhereOneIsNotRelayed() {
    let stage = TURNStage()
    stage.server.rules.relaysIPv4 = false
    stage.server.rules.relaysIPv6 = true
    stage.allocate()
    #expect(stage.client.relayedAddress?.isIPv6 == true)
    let refused = TURNStage()
    refused.server.rules.relaysIPv4 = false
    refused.allocate()
    #expect(refused.client.failure == .refused(code: 440))
  }

  @Test func everythingIsRefreshedBeforeItExpires() {
    let stage = TURNStage()
    stage.allocate()
    stage.client.permit(TURNStage.peer, now: stage.now)
    stage.client.bindChannel(to: TURNStage.peer, now: stage.now)
    stage.drain()
    for minute in 0..<30 {
      stage.run(for: .seconds(60))
      stage.send([UInt8(minute)])
      stage.sendBack([UInt8(minute)])
      #expect(stage.relayed.last?.bytes == [UInt8(minute)])
      #expect(stage.received.last?.bytes == [UInt8(minute)])
    }
    #expect(stage.server.counts.allocations == 1)
    #expect((3...4).contains(stage.server.counts.refreshes))
    #expect((3...4).contains(stage.server.counts.channelBinds))
    #expect(stage.server.counts.channelDataIn == 30)
  }

  @Test func aStaleNonceIsReplaced() {
    let stage = TURNStage()
    stage.allocate()
    stage.server.makeNoncesStale()
    stage.client.permit(TURNStage.peer, now: stage.now)
    stage.drain()
    stage.run(for: .seconds(1))
    #expect(stage.server.counts.staleNonces == 1)
    #expect(stage.server.counts.permissions == 1)
    #expect(stage.client.failure == nil)
  }

  @Test func requestsAreRepeatedOverUDP() {
    let stage = TURNStage()
    let random = SeededCrypto(seed: 7)
    stage.isLost = { random.randomUInt64() % 10 < 4 }
    stage.allocate()
    stage.run(for: .seconds(10))
    stage.client.permit(TURNStage.peer, now: stage.now)
    stage.drain()
    stage.run(for: .seconds(20))
    #expect(stage.client.relayedAddress != nil)
    #expect(stage.server.counts.allocations == 1)
    #expect(stage.server.counts.permissions >= 1)
  }

  @Test(arguments: [false, true])
  func aServerThatDoesNotAnswerIsGivenUp(isStream: Bool) {
    let stage = TURNStage(isStream: isStream)
    stage.server.rules.isSilent = true
    stage.client.start(now: stage.now)
    stage.drain()
    stage.run(for: .seconds(20))
    #expect(stage.client.failure == .noAnswer)
    #expect(stage.client.deadline == .distantFuture)
    #expect(stage.sentCount == (isStream ? 1 : 7))
  }

  @Test func refusedCredentialsAreNotTriedAgain() {
    let stage = TURNStage(password: "wrong")
    stage.allocate()
    #expect(stage.client.failure == .credentialsRefused)
    #expect(stage.server.counts.refusedCredentials == 1)
    #expect(!"\(stage.client)".contains("wrong"))
  }

  @Test(arguments: [300, 403, 437, 486, 508])
  func aRefusedAllocationSaysWhy(code: Int) {
    let stage = TURNStage()
    stage.server.rules.refusal = code
    stage.allocate()
    #expect(stage.client.failure == (code == 300 ? .redirected : .refused(code: code)))
    #expect(stage.client.failure?.description.contains("\(code)") == true)
  }

  @Test func aRefusedRefreshLosesTheAllocation() {
    let stage = TURNStage()
    stage.allocate()
    stage.server.rules.refreshRefusal = 437
    stage.run(for: .seconds(600))
    #expect(stage.client.failure == .lost(code: 437))
    #expect(stage.client.relayedAddress == nil)
  }

  @Test func whoDoubtsTheAllocationLearnsWhetherItExists() {
    let stage = TURNStage()
    stage.allocate()
    for _ in 0..<2 { stage.client.verify(now: stage.now) }
    stage.drain()
    stage.run(for: .seconds(1))
    #expect(stage.server.counts.refreshes == 1)
    #expect(stage.client.failure == nil)
    stage.server.forget(1)
    stage.client.verify(now: stage.now)
    stage.drain()
    stage.run(for: .seconds(1))
    #expect(stage.client.failure == .lost(code: 437))
  }

  @Test func whatDoesNotChangeByWaitingIsToldApart() {
    let final = [TURNFailure.credentialsRefused, .redirected, .refused(code: 403), .refused(code: 440)]
    let passing = [TURNFailure.noAnswer, .lost(code: 437), .refused(code: 437), .refused(code: 486), .malformedStream]
    #expect(!final.contains { $0.mayPass })
    #expect(passing.allSatisfy { $0.mayPass })
  }

  @Test func aPeerThatIsForbiddenHarmsNoOther() {
    let stage = TURNStage()
    stage.allocate()
    stage.server.rules.forbidden = [address("10.0.0.1", 0)]
    stage.client.permit(address("10.0.0.1", 9), now: stage.now)
    stage.client.permit(TURNStage.peer, now: stage.now)
    stage.drain()
    stage.run(for: .seconds(600))
    #expect(stage.server.counts.permissions >= 2)
    #expect(stage.client.failure == nil)
    stage.send([1])
    #expect(stage.relayed.count == 1)
  }

  @Test func theAllocationIsGivenBack() {
    let stage = TURNStage()
    stage.allocate()
    stage.client.release()
    stage.drain()
    stage.run(for: .seconds(10))
    #expect(stage.server.counts.releases == 1)
    #expect(stage.client.relayedAddress == nil)
    #expect(stage.client.deadline == .distantFuture)
  }

  @Test func anAnswerThatIsNotSignedChangesNothing() {
    let stage = TURNStage()
    stage.allocate()
    stage.isLost = { true }
    stage.client.permit(TURNStage.peer, now: stage.now)
    stage.drain()
    stage.receive([0x01, 0x08, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 1, count: 12))
    stage.receive([0x01, 0x18, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 1, count: 12))
    #expect(stage.client.failure == nil)
  }

  @Test func moreAddressesThanTheLimitAreNotAskedFor() {
    let stage = TURNStage()
    stage.allocate()
    for index in 0..<100 {
      stage.client.permit(TransportAddress(ipv4: 0xC633_6400 + UInt32(index), port: 1), now: stage.now)
      stage.client.bindChannel(to: TransportAddress(ipv4: 0xC633_6400 + UInt32(index), port: 1), now: stage.now)
      stage.drain()
      stage.run(for: .milliseconds(50))
    }
    #expect(stage.server.counts.permissions == 32)
    #expect(stage.server.counts.channelBinds == 16)
    #expect(stage.client.failure == nil)
  }
}
