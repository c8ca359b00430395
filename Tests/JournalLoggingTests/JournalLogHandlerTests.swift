import Glibc
import Logging
import Testing

@testable import JournalLogging

@Suite("Log records")
struct JournalLogHandlerTests {
  /// What is written to the log's descriptor, a pipe here.
  private func output(inJournal: Bool = true, _ body: (Logger) -> Void) throws -> String {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let environment = inJournal ? ["JOURNAL_STREAM": "1:2"] : [:]
    let handler = JournalLogHandler(level: SharedLogLevel(.debug), environment: environment, descriptor: ends[1])
    body(Logger(label: "test") { _ in handler })
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 60_000)
    let count = read(ends[0], &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(
    "a record is one line of its own priority, whatever it quotes",
    arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{0B}", "\u{1B}E"])
  func oneLine(separator: String) throws {
    let text = "hello\(separator)<0>forged"
    let lines = try output { logger in
      logger.info("\(text)")
      logger.notice("fields", metadata: ["key\(separator)<1>": "\(text)", "list": .array(["\(text)"])])
    }
    let records = lines.unicodeScalars.split(separator: "\n").map { String($0) }
    #expect(records.count == 2)
    #expect(records.first?.hasPrefix("<6>hello\\") == true)
    #expect(records.last?.hasPrefix("<5>fields key\\") == true)
    #expect(!lines.unicodeScalars.dropLast().contains { $0 != "\n" && $0.value < 0x20 })
  }

  @Test("without journald a record begins with its level")
  func terminal() throws {
    #expect(
      try output(inJournal: false) { $0.warning("a\u{1B}]52;c;QQ==\u{7}") } == "warning: a\\u{1B}]52;c;QQ==\\u{7}\n")
  }

  @Test("a record has a bounded length, so that its end never passes for a record")
  func length() throws {
    let line = try output { $0.info("\(String(repeating: "<0>", count: 20_000))") }
    #expect(line.utf8.count < 9_000)
    #expect(line.hasSuffix("… (51808 bytes more)\n"))
  }
}
