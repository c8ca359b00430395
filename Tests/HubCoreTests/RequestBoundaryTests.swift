import Testing

@testable import HubCore

struct RequestBoundaryTests {
  /// The pieces that a text falls into, handed over `step` bytes at a time.
  private func pieces(of text: String, step: Int) -> [String] {
    var boundary = RequestBoundary()
    var (pieces, piece): ([String], [UInt8]) = ([], [])
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let part = rest.prefix(step)
      let count = boundary.length(in: part)
      piece += part.prefix(count ?? part.count)
      rest = rest.dropFirst(count ?? part.count)
      guard count != nil else { continue }
      pieces.append(String(decoding: piece, as: UTF8.self))
      piece = []
    }
    return piece.isEmpty ? pieces : pieces + [String(decoding: piece, as: UTF8.self)]
  }

  @Test(arguments: [1, 2, 3, 7, 1_000])
  func headsAreTakenOneByOne(step: Int) {
    let heads = [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /b HTTP/1.1\nHost: a\n\n", "GET /c HTTP/1.1\r\nHost: a\n\r\n",
    ]
    #expect(pieces(of: heads.joined(), step: step) == heads)
  }

  @Test(arguments: [1, 5, 1_000])
  func aBodyInChunksEndsWithItsTrailer(step: Int) {
    let parts = ["5\r\nhello\r\n0\r\nDigest: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]
    #expect(pieces(of: parts.joined(), step: step) == parts)
  }

  @Test func emptyLinesBeforeARequestEndNothing() {
    #expect(
      pieces(of: "\r\n\r\n\n\nGET / HTTP/1.1\r\n\r\n\r\n", step: 4) == ["\r\n\r\n\n\nGET / HTTP/1.1\r\n\r\n", "\r\n"])
  }

  @Test func whatHasNoEndIsHandedOnAsItIs() {
    var boundary = RequestBoundary()
    #expect(boundary.length(in: "GET / HTTP/1.1\r\nHost".utf8) == nil)
    #expect(boundary.length(in: ": a\r\n\r".utf8) == nil)
    #expect(boundary.length(in: "\nGET".utf8) == 1)
  }
}
