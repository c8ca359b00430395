import ControlMessages
import DeviceEvents
import TestServers
import Testing

@Suite struct SourceProblemsTests {
  @Test func anOutageIsToldOnceWhateverIsTheReasonMeanwhile() {
    let log = RecordedLog()
    let problems = SourceProblems(logger: log.logger) { 1_000 }
    for reason in ["is gone", "is not there", "is not there", "is forbidden"] { problems.note(reason, of: "cabinet") }
    #expect(log.lines == ["the source of events \"cabinet\" notices nothing: is gone"])
    #expect(problems.problem?.text.hasSuffix("is forbidden") == true)
    problems.note("is gone", of: "door")
    problems.note(nil, of: "cabinet")
    problems.note(nil, of: "cabinet")
    problems.note("is gone", of: "cabinet")
    #expect(
      log.lines.dropFirst() == [
        "the source of events \"door\" notices nothing: is gone",
        "the source of events \"cabinet\" can be read again",
        "the source of events \"cabinet\" notices nothing: is gone",
      ])
  }
}
