import Signalling
import Testing

@Suite("text/event-stream, WHATWG HTML 9.2")
struct ServerSentEventParserTests {
  private func parse(_ text: String, limits: ServerSentEventParser.Limits = .init()) -> [ServerSentEvent] {
    var parser = ServerSentEventParser(limits: limits)
    return parser.push(Array(text.utf8))
  }

  private func event(_ name: String, _ data: String, id: String = "") -> ServerSentEvent {
    ServerSentEvent(name: name, data: Array(data.utf8), id: id)
  }

  @Test("Name, data and id", arguments: ["\n", "\r", "\r\n"])
  func fields(lineEnd: String) {
    let text = ["event: call.incoming", "data: {}", "id: 7", "", ""].joined(separator: lineEnd)
    #expect(parse(text) == [event("call.incoming", "{}", id: "7")])
  }

  @Test func severalDataLinesAreJoined() {
    #expect(parse("data: a\ndata\ndata:b\n\n") == [event("message", "a\n\nb")])
  }

  @Test func onlyOneLeadingSpaceIsRemoved() {
    #expect(parse("data:  x\n\n") == [event("message", " x")])
  }

  @Test func commentsUnknownFieldsAndAByteOrderMarkAreIgnored() {
    #expect(parse("\u{FEFF}: hello\nfoo: bar\n\ndata: x\n\n") == [event("message", "x")])
  }

  @Test func anEventWithoutDataSetsTheIDOnly() {
    var parser = ServerSentEventParser()
    #expect(parser.push(Array("id: 9\n\n".utf8)).isEmpty)
    #expect(parser.lastEventID == "9")
  }

  @Test func anIDCountsFromTheEndOfItsEvent() {
    var parser = ServerSentEventParser(lastEventID: "1")
    _ = parser.push(Array("id: 2\ndata: cut off".utf8))
    #expect(parser.lastEventID == "1")
  }

  @Test func anIDStaysForLaterEvents() {
    #expect(parse("id: 3\ndata: a\n\ndata: b\n\n") == [event("message", "a", id: "3"), event("message", "b", id: "3")])
  }

  @Test func anIDWithNULIsIgnored() {
    #expect(parse("id: a\0b\ndata: x\n\n") == [event("message", "x")])
  }

  @Test("Retry takes digits only and is bounded", arguments: [("1500", 1500), ("x", nil), ("99999999", 60_000)])
  func retry(text: String, expected: Int?) {
    var parser = ServerSentEventParser()
    _ = parser.push(Array("retry: \(text)\n\n".utf8))
    #expect(parser.reconnectionTime == expected)
  }

  @Test func anyFragmentationGivesTheSameEvents() {
    let bytes = Array(":c\r\nevent: a\r\nid: 1\r\ndata: x\r\ndata: y\r\n\r\ndata: z\r\n\r\n".utf8)
    var whole = ServerSentEventParser()
    let expected = whole.push(bytes)
    #expect(expected.count == 2)
    for size in 1...bytes.count {
      var parser = ServerSentEventParser()
      let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
      #expect(pieces.flatMap { parser.push($0) } == expected)
    }
  }

  @Test func anEventThatIsTooLargeIsSkippedAndItsIDKept() {
    var parser = ServerSentEventParser(limits: .init(line: 16, event: 16))
    let long = String(repeating: "x", count: 40)
    let events = parser.push(Array("id: 1\ndata: \(long)\n\nid: 2\ndata: ok\n\n".utf8))
    #expect(events == [event("message", "ok", id: "2")])
    #expect(parser.skippedEvents == 1)
  }

  @Test func manyShortLinesCannotGrowAnEventBeyondItsLimit() {
    let lines = String(repeating: "data: 0123456789\n", count: 100)
    #expect(parse(lines + "\ndata: ok\n\n", limits: .init(line: 64, event: 64)) == [event("message", "ok")])
  }
}
