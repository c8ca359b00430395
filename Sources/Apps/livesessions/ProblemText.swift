import ControlMessages
import MediaPlaneAPI

/// How `livesessions status` reports what does not work.
struct ProblemText {
  private let problems: [ProblemStatus]

  init(_ status: DeviceStatus) { problems = status.problems ?? [] }

  /// What does not work now; nothing if all does.
  func showLasting() {
    let lasting = problems.filter(\.lasts)
    guard !lasting.isEmpty else { return }
    Output.printAlarm("PROBLEMS:")
    Output.printTable(
      lasting.map { ["  \($0.title)", $0.since.map { "since \(Output.time($0))" } ?? "", $0.text] })
  }

  /// What last did not work, and does again.
  func showPast() {
    let past = problems.filter { !$0.lasts }
    guard !past.isEmpty else { return }
    Output.printLine("problems that are over:")
    Output.printTable(past.map { ["  \($0.title)", "until \(Output.time($0.until ?? 0))", $0.text] })
  }

  /// Whether a part is among those that are shown as lasting.
  func names(_ part: String) -> Bool { problems.contains { $0.lasts && $0.part.rawValue == part } }
}
