import Foundation
import TestServers
import Testing
import TestSupport

@testable import OpenSSLCrypto

@Suite struct TimeStampingTests {
  private let digest = [UInt8](repeating: 0x5A, count: 32)

  @Test func anAnswerOfOpenSSLHolds() throws {
    let authority = try StampingAuthority()
    let request = try TimeStampRequest(digest: digest, nonce: 0xFFFF_FFFF_0000_0001)
    let der = try authority.answer(try request.makeDER())
    let answer = try TimeStampResponse(der: der)
    try answer.check(request)
    let now = Int64(Date().timeIntervalSince1970)
    #expect(abs(try answer.verify(digest: digest, authorityFile: authority.rootFile) - now) < 60)
    #expect(abs((answer.claimedTime ?? 0) - now) < 60)
    #expect(try authority.isVerified(der, digest: digest))
  }

  @Test func whatAnswersSomethingElseIsRefused() throws {
    let authority = try StampingAuthority()
    let request = try TimeStampRequest(digest: digest, nonce: 7)
    let answer = try TimeStampResponse(der: try authority.answer(try request.makeDER()))
    let other = try TimeStampRequest(digest: [UInt8](repeating: 1, count: 32), nonce: 7)
    let fresh = try TimeStampRequest(digest: digest, nonce: 8)
    #expect(throws: TimeStampError.self) { try answer.check(other) }
    #expect(throws: TimeStampError.self) { try answer.check(fresh) }
    #expect(throws: TimeStampError.self) {
      try answer.verify(digest: [UInt8](repeating: 1, count: 32), authorityFile: authority.rootFile)
    }
    let stranger = try StampingAuthority()
    #expect(throws: TimeStampError.self) { try answer.verify(digest: digest, authorityFile: stranger.rootFile) }
    #expect(throws: TimeStampError.self) { try answer.verify(digest: digest, authorityFile: "/nonexistent") }
  }

  @Test func changedAnswersNeverHold() throws {
    let authority = try StampingAuthority()
    let request = try TimeStampRequest(digest: digest, nonce: 7)
    let der = try authority.answer(try request.makeDER())
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      var changed = der
      changed[Int.random(in: changed.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let time = try? TimeStampResponse(der: changed).verify(digest: digest, authorityFile: authority.rootFile)
      // What a signature does not cover, such as the order of certificates, may change; what it says may not.
      let told = try TimeStampResponse(der: der).claimedTime
      #expect(time == nil || time == told)
    }
    for count in [0, 1, der.count - 1] {
      #expect(throws: TimeStampError.malformed) { _ = try TimeStampResponse(der: Array(der[..<count])) }
    }
    #expect(throws: TimeStampError.malformed) { _ = try TimeStampResponse(der: der + [0]) }
    let long = [UInt8](repeating: 0x30, count: 40_000)
    #expect(throws: TimeStampError.malformed) { _ = try TimeStampResponse(der: long) }
    #expect(throws: TimeStampError.otherDigest) { _ = try TimeStampRequest(digest: [1], nonce: nil) }
  }
}
