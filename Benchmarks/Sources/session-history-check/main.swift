import Foundation
import HubConformance

// Checks a file of recorded sessions: its first line has the rules, each further line a session, all as JSON.
// Prints what is wrong, then a summary; the exit status is 1 when something is wrong.

func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("session-history-check: \(reason)\n".utf8))
  exit(2)
}

guard CommandLine.arguments.count == 2,
  let text = try? String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
else { fail("give the path of a file of sessions that can be read") }
let lines = text.split(separator: "\n")
let decoder = JSONDecoder()
guard let first = lines.first, let rules = try? decoder.decode(HistoryRules.self, from: Data(first.utf8)) else {
  fail("\(CommandLine.arguments[1]):1: no rules")
}

let check = HistoryCheck(rules)
var (sessions, answered, bad) = (0, 0, 0)
for (number, line) in lines.enumerated().dropFirst() {
  guard let history = try? decoder.decode(SessionHistory.self, from: Data(line.utf8)) else {
    fail("\(CommandLine.arguments[1]):\(number + 1): no session")
  }
  sessions += 1
  answered += history.received.contains { $0.name == .answered } ? 1 : 0
  let violations = check.violations(in: history)
  guard !violations.isEmpty else { continue }
  bad += 1
  print(violations.joined(separator: "\n"))
}
print("\(sessions) sessions, \(answered) of them answered: \(bad) with something wrong")
exit(bad == 0 ? 0 : 1)
