public import ArgumentParser
import ConfigFile
import Glibc
import SafeText

/// An unknown word in the place of a command, or an option that its command does not have.
///
/// ArgumentParser calls the one an unexpected argument, and reports the other only where nothing else is wrong.
public struct Misspelling: Sendable, Hashable {
  /// The mistake, and the likely intention.
  public let message: String
  /// The command that help is to be asked of, with the program's name.
  public let command: String

  /// Finds the first one; nil where there is none.
  ///
  /// - Parameters:
  ///   - arguments: with the program's name.
  ///   - root: the program's command.
  public init?(_ arguments: [String], root: any ParsableCommand.Type) {
    var (command, path) = (root, [Self.name(of: root)])
    for word in Self.words(of: arguments) {
      let known = command.configuration.subcommands
      guard word != "help" else { return nil }
      guard !known.isEmpty else { break }
      guard let next = known.first(where: { Self.name(of: $0) == word }) else {
        message = Self.message(word, known.map { Self.name(of: $0) })
        self.command = path.joined(separator: " ")
        return
      }
      (command, path) = (next, path + [word])
    }
    let last = command.configuration.defaultSubcommand ?? command
    guard let message = Self.unknownOption(in: arguments, help: root.helpMessage(for: last, includeHidden: true)) else {
      return nil
    }
    self.message = message
    self.command = path.joined(separator: " ")
  }

  /// Prints it as ArgumentParser prints its errors, and ends the program.
  public func exit() -> Never {
    let text = "Error: \(message.escapingControls)\n  See '\(command) --help' for more information.\n"
    text.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    Glibc.exit(ExitCode.validationFailure.rawValue)
  }
}

extension Misspelling {
  /// The arguments that are neither options nor follow one, whose value they may be.
  private static func words(of arguments: [String]) -> [String] {
    zip(arguments, arguments.dropFirst()).filter { !$0.hasPrefix("--") && !$1.hasPrefix("-") }.map(\.1)
  }

  private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

  private static func message(_ word: String, _ known: [String]) -> String {
    let suggestion = closestMatch(to: word, among: known).map { "did you mean '\($0)'?" }
    return "there is no command '\(word)'; \(suggestion ?? "there are \(known.joined(separator: ", "))")"
  }

  private static func unknownOption(in arguments: [String], help: String) -> String? {
    let known = Set(options(in: help)).sorted()
    for argument in arguments.dropFirst().prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
      let name = String(argument.prefix { $0 != "=" })
      guard !known.contains(name) else { continue }
      let suggestion = closestMatch(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
      return "there is no option '\(name)'\(suggestion)"
    }
    return nil
  }

  private static func options(in help: String) -> [String] {
    help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.filter { $0.hasPrefix("--") }.map { String($0) }
  }
}
