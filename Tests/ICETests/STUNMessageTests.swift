import ICE
import MediaCore
import OpenSSLCrypto
import Testing

@Suite struct STUNMessageTests {
  private let id = STUNTransactionID(high: 0x0102_0304, low: 0x0506_0708_090A_0B0C)
  private let crypto = OpenSSLCrypto()

  @Test func writesWhatItReads() throws {
    let datagram = try write { writer, buffer in
      try writer.append(.username, Array("ours:theirs".utf8).span.bytes, to: &buffer)
      try writer.append(.priority, UInt32(77), to: &buffer)
      try writer.append(.iceControlling, UInt64(0x1122_3344_5566_7788), to: &buffer)
      try writer.append(.useCandidate, to: &buffer)
      try writer.appendIntegrity(password: [1, 2, 3], crypto: crypto, to: &buffer)
      try writer.appendFingerprint(to: &buffer)
    }
    let message = try parse(datagram)
    #expect(message.header.transactionID == id)
    #expect(message.priority == 77)
    #expect(message.controlling == 0x1122_3344_5566_7788)
    #expect(message.useCandidate)
    #expect(message.hasFingerprint)
    #expect(isAuthentic(datagram, password: [1, 2, 3]))
    #expect(!isAuthentic(datagram, password: [1, 2, 4]))
    #expect(fragment(of: datagram) == UsernameFragment("ours"))
  }

  @Test(arguments: [address("192.0.2.7", 9), address("2001:db8::1", 65_535)])
  func mappedAddressSurvivesMasking(mapped: TransportAddress) throws {
    let datagram = try write { writer, buffer in try writer.appendMappedAddress(mapped, to: &buffer) }
    #expect(try parse(datagram).mappedAddress == mapped)
  }

  @Test func anyChangedOctetIsNoticed() throws {
    let datagram = try write { writer, buffer in
      try writer.append(.priority, UInt32(77), to: &buffer)
      try writer.appendIntegrity(password: [1, 2, 3], crypto: crypto, to: &buffer)
    }
    for index in datagram.indices {
      var changed = datagram
      changed[index] ^= 0x10
      #expect(!isAuthentic(changed, password: [1, 2, 3]), "octet \(index)")
    }
  }

  @Test func whatFollowsTheIntegrityIsIgnored() throws {
    let datagram = try write { writer, buffer in
      try writer.appendIntegrity(password: [1], crypto: crypto, to: &buffer)
      try writer.append(.useCandidate, to: &buffer)
      try writer.append(STUNAttributeType(rawValue: 0x7777), UInt32(0), to: &buffer)
    }
    let message = try parse(datagram)
    #expect(!message.useCandidate)
    #expect(message.unknownAttributes.isEmpty)
    #expect(isAuthentic(datagram, password: [1]))
  }

  @Test func listsUnknownAttributesWithinBounds() throws {
    let datagram = try write { writer, buffer in
      for code in 0..<9 { try writer.append(STUNAttributeType(rawValue: 0x7000 + UInt16(code)), to: &buffer) }
      try writer.append(STUNAttributeType(rawValue: 0xC057), UInt32(1), to: &buffer)
    }
    let unknown = try parse(datagram).unknownAttributes
    #expect(unknown.count == 4)
    #expect(unknown[3].rawValue == 0x7003)
  }

  @Test func refusesWhatIsNotWellFormed() throws {
    let good = try write { writer, buffer in
      try writer.append(.priority, UInt32(77), to: &buffer)
      try writer.appendFingerprint(to: &buffer)
    }
    #expect(throws: STUNParseError.notSTUN) { try parse(Array(good.prefix(19))) }
    #expect(throws: STUNParseError.lengthMismatch) { try parse(good + [0, 0, 0, 0]) }
    #expect(throws: STUNParseError.notSTUN) { try parse(changing(good, at: 4, to: 0)) }
    #expect(throws: STUNParseError.notSTUN) { try parse(changing(good, at: 0, to: 0x80)) }
    #expect(throws: STUNParseError.truncatedAttribute) { try parse(changing(good, at: 22, to: 0x7F)) }
    #expect(throws: STUNParseError.malformedAttribute(.priority)) {
      try parse(changing(good, at: 23, to: 3))
    }
    #expect(throws: STUNParseError.wrongFingerprint) { try parse(changing(good, at: 26, to: 1)) }
  }

  @Test func strangersHaveNoFragment() throws {
    #expect(fragment(of: [UInt8](repeating: 0, count: 40)) == nil)
    for username in ["noColon", "", ":x", "ninechars:x"] {
      let datagram = try write { writer, buffer in
        try writer.append(.username, Array(username.utf8).span.bytes, to: &buffer)
      }
      #expect(fragment(of: datagram) == nil, "\(username)")
    }
  }

  @Test func writerRefusesSmallBuffers() {
    #expect(throws: InsufficientSpace.self) {
      var storage = [UInt8](repeating: 0, count: 24)
      var span = storage.mutableSpan
      var buffer = span.mutableBytes
      var writer = try STUNMessageWriter(.request, .binding, id, to: &buffer)
      try writer.append(.priority, UInt32(1), to: &buffer)
    }
  }

  private func changing(_ bytes: [UInt8], at index: Int, to value: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[index] = value
    return bytes
  }

  private func write(
    _ body: (inout STUNMessageWriter, inout MutableRawSpan) throws -> Void
  ) throws -> [UInt8] {
    var storage = [UInt8](repeating: 0xAA, count: 600)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    var writer = try STUNMessageWriter(.request, .binding, id, to: &buffer)
    try body(&writer, &buffer)
    return Array(storage.prefix(writer.count))
  }
}
