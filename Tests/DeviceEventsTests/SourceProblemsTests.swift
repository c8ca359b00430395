import ControlMessages
import DeviceEvents
import Locking
import Logging
import Testing

@Suite struct SourceProblemsTests {
  @Test func anOutageIsToldOnceWhateverIsTheReasonMeanwhile() {
    let log = LineLog()
    let problems = SourceProblems(logger: Logger(label: "test") { _ in log }) { 1_000 }
    for reason in ["is gone", "is not there", "is not there", "is forbidden"] { problems.note(reason, of: "cabinet") }
    #expect(log.lines.withLock { $0 } == ["the source of events \"cabinet\" notices nothing: is gone"])
    #expect(problems.problem?.text.hasSuffix("is forbidden") == true)
    problems.note("is gone", of: "door")
    problems.note(nil, of: "cabinet")
    problems.note(nil, of: "cabinet")
    problems.note("is gone", of: "cabinet")
    #expect(
      log.lines.withLock { $0.dropFirst() } == [
        "the source of events \"door\" notices nothing: is gone",
        "the source of events \"cabinet\" can be read again",
        "the source of events \"cabinet\" notices nothing: is gone",
      ])
  }
}

/// Keeps what is logged.
private final class LineLog: LogHandler {
  let lines = Mutex<[String]>([])

  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
}
