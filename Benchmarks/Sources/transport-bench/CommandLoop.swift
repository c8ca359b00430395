import Glibc
import NetworkLoop
import Signalling

/// A command on standard input: a word, the session it is about, and lines of SDP, separated by tabs.
struct Command {
  let word: String
  let sessionID: String
  let description: String

  init(_ line: String) {
    let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    word = parts[0]
    sessionID = parts.count > 1 ? parts[1] : ""
    description = parts.count > 2 ? parts[2].split(separator: "\t").map { $0 + "\r\n" }.joined() : ""
  }

  var session: SessionHandle {
    get throws {
      guard let id = SessionID(sessionID) else { throw CommandError.unknownSession }
      return SessionHandle(id)
    }
  }
}

/// Answers each command with one line: `ok` and what was asked for, or `error` and why.
func answerCommands(_ perform: (Command) async throws -> String) async {
  while let line = readLine() {
    do {
      reply("ok\t" + (try await perform(Command(line))))
    } catch {
      reply("error\t\(error)")
    }
  }
}

/// Writes a line that leaves at once, also through a pipe.
private func reply(_ text: String) {
  var rest = Array((text + "\n").utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}

enum CommandError: Error {
  case unknownCommand
  case unknownSession
  case noSocket
}

/// A description as one line of a reply.
func line(_ description: String) -> String {
  description.split(whereSeparator: \.isNewline).joined(separator: "\t")
}
