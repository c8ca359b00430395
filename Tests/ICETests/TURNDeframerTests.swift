import ICE
import MediaCore
import Testing

@Suite struct TURNDeframerTests {
  private static let stun: [UInt8] =
    [0x01, 0x01, 0, 8, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12) + [0x80, 0x22, 0, 4, 1, 2, 3, 4]
  private static let channel: [UInt8] = [0x40, 0x01, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0]
  private static let empty: [UInt8] = [0x40, 0x01, 0, 0]

  @Test(arguments: [1, 2, 3, 5, 8, 13, 1_000])
  func messagesAreFoundInAnyPieces(pieceSize: Int) throws {
    let messages = [Self.stun, Self.channel, Self.empty, Self.channel, Self.stun, Self.empty]
    #expect(try cut(messages.flatMap { $0 }, pieceSize: pieceSize) == messages)
  }

  @Test func aMessageThatIsTooLongIsPassedOver() throws {
    let long: [UInt8] = [0x40, 0x02, 0x40, 0x00] + [UInt8](repeating: 0x40, count: 0x4000)
    #expect(try cut(long + Self.channel, pieceSize: 1_400) == [Self.channel])
    #expect(try cut(long + Self.channel, pieceSize: 100_000) == [Self.channel])
  }

  @Test(arguments: [
    Array("HTTP/1.1 400 Bad Request\r\n".utf8), [0x50, 0, 0, 0], [0, 1, 0, 3],
    [0, 1, 0, 0] + [UInt8](repeating: 0, count: 16),
  ])
  func whatIsNoTURNEndsTheStream(garbage: [UInt8]) {
    #expect(throws: TURNStreamError.self) { try cut(Self.stun + garbage, pieceSize: 9) }
  }

  private func cut(_ bytes: [UInt8], pieceSize: Int) throws -> [[UInt8]] {
    var deframer = TURNDeframer()
    var messages: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      let piece = Array(bytes[start..<min(start + pieceSize, bytes.count)])
      var offset = 0
      while try deframer.take(piece.span.bytes, from: &offset) {
        messages.append(deframer.withMessage { $0.bytes.copiedToArray() })
      }
      #expect(offset == piece.count)
    }
    return messages
  }
}
