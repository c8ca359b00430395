import Signalling
import Testing

@testable import HubClient

@Suite("What the journal says of what operators looked at")
struct HubAuditTests {
  private let start = ContinuousClock.now

  private func line(_ path: String, _ status: Int = 200) throws -> String? {
    var audit = HubAudit()
    return audit.line(of: try #require(ArchiveRequestPath(path)), status: status, now: start)
  }

  @Test(
    "Everything that can be seen has a line",
    arguments: [
      ("archives", "the list of recordings"), ("archives/a1", "the manifest of recording a1"),
      ("archives/a1/yard.webm", "yard.webm of recording a1"), ("cameras", "the names of the cameras"),
      ("snapshot", "a snapshot of the camera"), ("snapshot/yard", "a snapshot of camera yard"),
      (
        "events/1795478400000-1795564800000", "events from 2026-11-24T00:00:00Z to 2026-11-25T00:00:00Z"
      ),
      (
        "events/0-1000/after/7-20261124T195512Z-9f3c01ab",
        "events from 1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z, those before 20261124T195512Z-9f3c01ab"
      ),
      ("events/20261124T195512Z-9f3c01ab/picture", "the image of event 20261124T195512Z-9f3c01ab"),
      ("recordings/0-1000", "when it recorded from 1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z"),
    ])
  func titles(path: String, title: String) throws {
    #expect(try line(path) == "an operator at the hub was shown \(title)")
    #expect(try line(path, 206) == "an operator at the hub was shown \(title)")
    #expect(try line(path, 403) == "an operator at the hub may not see \(title): [hub] does not allow it")
    for nothing in [404, 409, 416] { #expect(try line(path, nothing) == nil) }
  }

  @Test("Recordings by hand have lines of their own", arguments: ["recording", "recording/start", "recording/stop"])
  func recordings(path: String) throws {
    for status in [200, 403] { #expect(try line(path, status) == nil) }
  }

  @Test("Pieces of a file that follow each other are one line, lists and pictures one each")
  func pieces() throws {
    var audit = HubAudit()
    func isReported(_ path: String, after seconds: Int) -> Bool {
      ArchiveRequestPath(path).flatMap { audit.line(of: $0, status: 206, now: start + .seconds(seconds)) } != nil
    }
    #expect(isReported("archives/a/v.webm", after: 0))
    #expect(isReported("archives/b/v.webm", after: 0))
    for seconds in [1, 500, 1_000] { #expect(!isReported("archives/a/v.webm", after: seconds)) }
    #expect(isReported("archives/b/v.webm", after: 1_000))
    #expect(isReported("archives/a/v.webm", after: 1_601))
    for seconds in [0, 1] { #expect(isReported("snapshot", after: seconds)) }
  }

  @Test("Of many files the one that was asked for longest ago makes room")
  func manyFiles() throws {
    var audit = HubAudit()
    func isReported(_ number: Int) -> Bool {
      ArchiveRequestPath("archives/a\(number)/v.webm").flatMap { audit.line(of: $0, status: 200, now: start) } != nil
    }
    for number in 0..<HubAudit.maxFiles { #expect(isReported(number)) }
    #expect(!isReported(0))
    #expect(isReported(HubAudit.maxFiles))
    #expect(!isReported(0))
    #expect(isReported(1))
  }
}
