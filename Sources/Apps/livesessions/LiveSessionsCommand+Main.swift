import ArgumentParser
import ConfigFile

extension LiveSessionsCommand {
  /// Runs the program; what ArgumentParser says of a misspelt command is said better.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let problem = exitCode(for: error) == .validationFailure ? Misspelling.message(CommandLine.arguments) : nil
      exit(withError: problem.map { ValidationError($0) } ?? error)
    }
  }
}

/// Finds a word in the place of a command that is none.
enum Misspelling {
  /// What to say of the first such word; nil where there is none.
  ///
  /// - Parameter arguments: with the program's name.
  static func message(_ arguments: [String]) -> String? {
    var known = LiveSessionsCommand.configuration.subcommands
    for word in words(of: arguments) where !known.isEmpty {
      guard word != "help" else { return nil }
      guard let next = known.first(where: { $0.configuration.commandName == word }) else {
        return message(word, known.compactMap { $0.configuration.commandName })
      }
      known = next.configuration.subcommands
    }
    return nil
  }

  /// The arguments that are neither options nor the value of the one option that stands before commands.
  private static func words(of arguments: [String]) -> [String] {
    zip(arguments, arguments.dropFirst()).filter { $0 != "--socket" && !$1.hasPrefix("-") }.map(\.1)
  }

  private static func message(_ word: String, _ known: [String]) -> String {
    let suggestion = closestMatch(to: word, among: known).map { "did you mean '\($0)'?" }
    return "there is no command '\(word)'; \(suggestion ?? "there are \(known.joined(separator: ", "))")"
  }
}
