import MediaCore
import TestSupport
import Testing

@testable import ICE

@Suite struct PriorityTests {
  @Test func candidatePriorityFollowsTheFormula() {
    #expect(ICECandidate.makePriority(.host, localPreference: 65_535) == 2_130_706_431)
    #expect(ICECandidate.makePriority(.serverReflexive, localPreference: 65_535) == 1_694_498_815)
    #expect(ICECandidate.makePriority(.relayed, localPreference: 0) == 255)
    #expect(ICECandidate.peerReflexivePriority(of: 2_130_706_431) == 1_862_270_975)
  }

  @Test func pairPriorityAgreesOnBothSides() {
    var ours = pair(local: 100, remote: 200)
    var theirs = pair(local: 200, remote: 100)
    ours.computePriority(role: .controlling)
    theirs.computePriority(role: .controlled)
    #expect(ours.priority == 100 << 32 + 400)
    #expect(theirs.priority == ours.priority)
    ours.computePriority(role: .controlled)
    #expect(ours.priority == 100 << 32 + 401)
  }

  @Test func foundationsAgreeWhereTheyShould() {
    let base = ICECandidate.makeFoundation(.host, base: address("192.0.2.1", 1))
    #expect(base == ICECandidate.makeFoundation(.host, base: address("192.0.2.1", 2)))
    #expect(base != ICECandidate.makeFoundation(.host, base: address("192.0.2.2", 1)))
    #expect(base != ICECandidate.makeFoundation(.relayed, base: address("192.0.2.1", 1)))
    #expect((1...32).contains(base.count))
  }

  @Test func madeCredentialsAreICECharactersOfTheRightLength() {
    let credentials = ICECredentials.make(crypto: SeededCrypto(seed: 3))
    #expect(credentials.usernameFragment.count == 8)
    #expect(credentials.password.count == 24)
    let isICE = (credentials.usernameFragment + credentials.password).allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "/")
    }
    #expect(isICE)
    #expect(credentials != ICECredentials.make(crypto: SeededCrypto(seed: 4)))
  }

  private func pair(local: UInt32, remote: UInt32) -> CandidatePair {
    CandidatePair(
      id: PairID(rawValue: 0), local: address("192.0.2.1", 1), remote: address("192.0.2.2", 1), localPriority: local,
      remotePriority: remote, foundation: PairFoundation(local: "1", remote: "1"),
      createdAt: MonotonicInstant(nanoseconds: 0))
  }
}
