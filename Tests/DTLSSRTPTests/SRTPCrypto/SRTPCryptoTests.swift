import CTestSupport
import DTLSSRTP
import Testing
import TransportCrypto

@Suite struct SRTPCryptoTests {
  static let profiles: [SRTPProfile] = [.aes128CMHMACSHA1_80, .aeadAES128GCM, .aeadAES256GCM]

  private func makePair(_ profile: SRTPProfile) throws -> (any PacketProtection, any PacketProtection) {
    let count = profile.keyLengths.key + profile.keyLengths.salt
    let first = (0..<count).map { UInt8($0) }
    let second = (0..<count).map { UInt8($0 + 100) }
    let crypto = SRTPCrypto()
    return (
      try crypto.makeProtection(SRTPKeyingMaterial(profile: profile, local: first, remote: second)),
      try crypto.makeProtection(SRTPKeyingMaterial(profile: profile, local: second, remote: first))
    )
  }

  private func rtp(sequence: UInt16, ssrc: UInt8 = 7) -> [UInt8] {
    [0x80, 96, UInt8(sequence >> 8), UInt8(sequence & 255), 0, 0, 0, 1, 0, 0, 0, ssrc] + Array("payload".utf8)
  }

  private let rtcp: [UInt8] = [0x81, 206, 0, 2, 0, 0, 0, 7, 0, 0, 0, 9]

  @Test(arguments: profiles)
  func rtpMakesTheRoundTrip(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    for sequence in [UInt16(65_534), 65_535, 0, 1] {
      let protected = try apply(sender.protectRTP, rtp(sequence: sequence))
      #expect(protected.count == 19 + (profile == .aes128CMHMACSHA1_80 ? 10 : 16))
      #expect(!protected.suffix(from: 12).starts(with: Array("payload".utf8)))
      #expect(try apply(receiver.unprotectRTP, protected) == rtp(sequence: sequence))
    }
  }

  @Test(arguments: profiles)
  func rtcpMakesTheRoundTrip(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    let protected = try apply(sender.protectRTCP, rtcp)
    #expect(protected.count <= rtcp.count + maximumTrailerLength)
    #expect(try apply(receiver.unprotectRTCP, protected) == rtcp)
  }

  @Test(arguments: profiles)
  func anyChangedOctetIsNoticed(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    let protected = try apply(sender.protectRTP, rtp(sequence: 5))
    for index in 2..<protected.count {
      var changed = protected
      changed[index] ^= 1
      #expect(throws: PacketProtectionError.authenticationFailed, "octet \(index)") {
        try apply(receiver.unprotectRTP, changed)
      }
    }
    #expect(try apply(receiver.unprotectRTP, protected) == rtp(sequence: 5))
  }

  @Test(arguments: profiles)
  func repeatedPacketsAreRefused(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    let protected = try apply(sender.protectRTP, rtp(sequence: 5))
    _ = try apply(receiver.unprotectRTP, protected)
    #expect(throws: PacketProtectionError.replayed) { try apply(receiver.unprotectRTP, protected) }
    let report = try apply(sender.protectRTCP, rtcp)
    _ = try apply(receiver.unprotectRTCP, report)
    #expect(throws: PacketProtectionError.replayed) { try apply(receiver.unprotectRTCP, report) }
  }

  @Test(arguments: profiles)
  func aPacketMayBeSentAgainAndArriveLate(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    let first = try apply(sender.protectRTP, rtp(sequence: 100))
    for sequence in UInt16(101)...1_100 {
      _ = try apply(receiver.unprotectRTP, apply(sender.protectRTP, rtp(sequence: sequence)))
    }
    let again = try apply(sender.protectRTP, rtp(sequence: 100))
    #expect(again == first)
    #expect(try apply(receiver.unprotectRTP, again) == rtp(sequence: 100))
  }

  @Test func streamsOfOtherSourcesAreIndependent() throws {
    let (sender, receiver) = try makePair(.aeadAES128GCM)
    for ssrc in UInt8(1)...20 {
      let protected = try apply(sender.protectRTP, rtp(sequence: 5, ssrc: ssrc))
      #expect(try apply(receiver.unprotectRTP, protected) == rtp(sequence: 5, ssrc: ssrc))
    }
  }

  @Test func wrongDirectionIsNotAuthentic() throws {
    let (sender, _) = try makePair(.aeadAES128GCM)
    let protected = try apply(sender.protectRTP, rtp(sequence: 5))
    #expect(throws: PacketProtectionError.authenticationFailed) { try apply(sender.unprotectRTP, protected) }
  }

  @Test func shortInputAndSmallBuffersAreErrors() throws {
    let (sender, receiver) = try makePair(.aeadAES128GCM)
    for length in 0..<12 {
      let packet = Array(rtp(sequence: 5).prefix(length))
      #expect(throws: PacketProtectionError.self) { try apply(receiver.unprotectRTP, packet) }
      #expect(throws: PacketProtectionError.self) { try apply(receiver.unprotectRTCP, packet) }
    }
    #expect(throws: PacketProtectionError.bufferTooSmall) {
      try apply(sender.protectRTP, rtp(sequence: 5), room: maximumTrailerLength - 1)
    }
  }

  @Test func keysOfTheWrongLengthAreRefused() throws {
    #expect(throws: TransportCryptoError("SRTP keys of a wrong length")) {
      try SRTPCrypto().makeProtection(SRTPKeyingMaterial(profile: .aeadAES128GCM, local: [1], remote: [2]))
    }
  }

  /// The master key and salt of RFC 3711 Appendix B.3, with the packet that libsrtp's own tests make of them.
  @Test func rfc3711MasterKeyGivesAStablePacket() throws {
    let key: [UInt8] = [
      0xE1, 0xF9, 0x7A, 0x0D, 0x3E, 0x01, 0x8B, 0xE0, 0xD6, 0x4F, 0xA3, 0x2C, 0x06, 0xDE, 0x41, 0x39, 0x0E, 0xC6,
      0x75, 0xAD, 0x49, 0x8A, 0xFE, 0xEB, 0xB6, 0x96, 0x0B, 0x3A, 0xAB, 0xE6,
    ]
    let sender = try SRTPCrypto().makeProtection(
      SRTPKeyingMaterial(profile: .aes128CMHMACSHA1_80, local: key, remote: key))
    let packet: [UInt8] =
      [0x80, 0x0F, 0x12, 0x34, 0xDE, 0xCA, 0xFB, 0xAD, 0xCA, 0xFE, 0xBA, 0xBE] + [UInt8](repeating: 0xAB, count: 16)
    let expected: [UInt8] = [
      0x80, 0x0F, 0x12, 0x34, 0xDE, 0xCA, 0xFB, 0xAD, 0xCA, 0xFE, 0xBA, 0xBE, 0x4E, 0x55, 0xDC, 0x4C, 0xE7, 0x99,
      0x78, 0xD8, 0x8C, 0xA4, 0xD2, 0x15, 0x94, 0x9D, 0x24, 0x02, 0xB7, 0x8D, 0x6A, 0xCC, 0x99, 0xEA, 0x17, 0x9B,
      0x8D, 0xBB,
    ]
    #expect(try apply(sender.protectRTP, packet) == expected)
  }

  /// Thirty-two thousand packets roll the sequence numbers over; a receiver that missed most of them follows.
  @Test(arguments: profiles)
  func theRollOverCounterIsPartOfTheCipher(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    for round in 0..<3 {
      for sequence in stride(from: UInt16(0), to: 65_000, by: 13_000) {
        let protected = try apply(sender.protectRTP, rtp(sequence: sequence))
        #expect(try apply(receiver.unprotectRTP, protected) == rtp(sequence: sequence), "round \(round)")
      }
    }
  }

  @Test(arguments: profiles)
  func headersWithContributorsAndExtensionStayReadable(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    let header: [UInt8] =
      [0x92, 96, 0, 9, 0, 0, 0, 1, 0, 0, 0, 7] + [1, 2, 3, 4, 5, 6, 7, 8] + [0xBE, 0xDE, 0, 1, 0x10, 0x80, 0, 0]
    let packet = header + Array("payload".utf8)
    let protected = try apply(sender.protectRTP, packet)
    #expect(Array(protected.prefix(header.count)) == header)
    #expect(try apply(receiver.unprotectRTP, protected) == packet)
    #expect(throws: PacketProtectionError.malformed) { try apply(sender.protectRTP, Array(packet.prefix(24))) }
  }

  #if DEBUG
    // Unoptimised code allocates an iterator whenever it walks over a range.
    private static let allowedPerPacket = 20
  #else
    private static let allowedPerPacket = 0
  #endif

  @Test(.enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"), arguments: profiles)
  func aPacketCostsNoAllocation(profile: SRTPProfile) throws {
    let (sender, receiver) = try makePair(profile)
    var storage = [UInt8](repeating: 0, count: 1_232)
    storage.replaceSubrange(0..<12, with: rtp(sequence: 0).prefix(12))
    var before = 0
    for sequence in UInt16(0)..<200 {
      if sequence == 100 { before = callocation_count() }
      (storage[2], storage[3]) = (UInt8(sequence >> 8), UInt8(sequence & 255))
      var span = storage.mutableSpan
      var buffer = span.mutableBytes
      let length = try sender.protectRTP(&buffer, length: 1_200)
      _ = try receiver.unprotectRTP(&buffer, length: length)
    }
    #expect(callocation_count() - before <= 100 * Self.allowedPerPacket)
  }

  private typealias Transformation = (inout MutableRawSpan, Int) throws -> Int

  @discardableResult
  private func apply(
    _ transformation: Transformation, _ packet: [UInt8], room: Int = maximumTrailerLength
  ) throws -> [UInt8] {
    var storage = packet + [UInt8](repeating: 0, count: room)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    let count = try transformation(&buffer, packet.count)
    return Array(storage.prefix(count))
  }
}
