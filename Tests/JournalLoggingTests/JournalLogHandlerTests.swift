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
    let handler = JournalLogHandler(
      level: SharedLogLevel(.debug), environment: environment, descriptor: ends[1], journal: "/nowhere")
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

  @Test("what a record is about is a field of the journal, and is not said twice; without fields it is a line")
  func fields() throws {
    let journal = try JournalStandIn()
    let logger = journal.logger
    logger.notice("call \(session: "7"), archive \(archive: "a\nPRIORITY=0")")
    #expect(
      journal.record() == [
        "MESSAGE=call 7, archive a\\nPRIORITY=0", "PRIORITY=5", "SYSLOG_IDENTIFIER=\(journal.program)",
        "LIVESESSIONS_ARCHIVE=a\\nPRIORITY=0", "LIVESESSIONS_SESSION=7",
      ])
    logger.error("no fields")
    #expect(journal.line() == "<3>no fields\n")
    logger.info("odd", metadata: ["wrong-name\n=": "x"])
    #expect(journal.record().last == "LIVESESSIONS_WRONG_NAME__=x")
  }

  @Test("a journal that is away, or reads another stream, gets lines")
  func noJournal() throws {
    let journal = try JournalStandIn()
    journal.remove()
    journal.logger.warning("call \(session: 7)")
    #expect(journal.line() == "<4>call 7\n")
    let other = try JournalStandIn(isRead: false)
    other.logger.warning("call 7", metadata: ["session": "8"])
    #expect(other.line() == "<4>call 7 session=8\n")
  }
}

/// A socket in journald's place, and the stream that it reads.
private final class JournalStandIn {
  let logger: Logger
  let program = JournalLogHandler.program
  private let path = "/tmp/journal-\(getpid())-\(UInt32.random(in: 0 ... .max))"
  private let socket: Int32
  private let ends: [Int32]

  init(isRead: Bool = true) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    self.ends = ends
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    self.socket = socket
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = path
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0)
    var stream = stat()
    try #require(fstat(ends[1], &stream) == 0)
    let name = isRead ? "\(stream.st_dev):\(stream.st_ino)" : "0:0"
    let handler = JournalLogHandler(
      level: SharedLogLevel(.debug), environment: ["JOURNAL_STREAM": name], descriptor: ends[1], journal: path)
    logger = Logger(label: "test") { _ in handler }
  }

  deinit {
    for descriptor in ends + [socket] { close(descriptor) }
    unlink(path)
  }

  func remove() { unlink(path) }

  /// The fields of the next record.
  func record() -> [String] {
    text { recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }.split(separator: "\n").map {
      String($0)
    }
  }

  func line() -> String { text { read(ends[0], $0.baseAddress, $0.count) } }

  private func text(_ receive: (UnsafeMutableRawBufferPointer) -> Int) -> String {
    var octets = [UInt8](repeating: 0, count: 10_000)
    let count = octets.withUnsafeMutableBytes { receive($0) }
    return String(decoding: octets.prefix(max(0, count)), as: UTF8.self)
  }
}
