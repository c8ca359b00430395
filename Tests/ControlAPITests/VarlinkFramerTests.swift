import ControlMessages
import Testing

@Suite("Varlink framing")
struct VarlinkFramerTests {
  @Test("messages come whole however the stream is cut", arguments: 1...9)
  func cutting(chunk: Int) throws {
    let stream = Array("{\"a\":1}\u{0}\u{0}{\"b\":2}\u{0}rest".utf8)
    var framer = VarlinkFramer(limit: 10)
    var messages: [String] = []
    for start in stride(from: 0, to: stream.count, by: chunk) {
      framer.append(stream[start..<min(start + chunk, stream.count)])
      while let message = try framer.next() { messages.append(String(decoding: message, as: UTF8.self)) }
    }
    #expect(messages == ["{\"a\":1}", "", "{\"b\":2}"])
    #expect(framer.hasPartialMessage)
  }

  @Test("a message of the permitted length passes, a longer one does not")
  func limit() throws {
    var framer = VarlinkFramer(limit: 4)
    framer.append([1, 2, 3, 4, 0])
    #expect(try framer.next() == [1, 2, 3, 4])
    #expect(!framer.hasPartialMessage)
    framer.append([1, 2, 3, 4, 5])
    #expect(throws: VarlinkFramer.Failure.messageTooLong) { try framer.next() }
    var whole = VarlinkFramer(limit: 4)
    whole.append([1, 2, 3, 4, 5, 0])
    #expect(throws: VarlinkFramer.Failure.messageTooLong) { try whole.next() }
  }

  @Test("nesting is measured outside strings")
  func nesting() {
    func isWithin(_ limit: Int, _ text: String) -> Bool { JSONNesting.isWithin(limit, text.utf8) }
    #expect(isWithin(2, "{\"a\":[1]}"))
    #expect(!isWithin(1, "{\"a\":[1]}"))
    #expect(isWithin(1, "{\"a\":\"[[\\\"[[\"}"))
    #expect(isWithin(1, "[][][]"))
    #expect(!isWithin(2, "[\"\\\\\",[[]]]"))
  }
}
