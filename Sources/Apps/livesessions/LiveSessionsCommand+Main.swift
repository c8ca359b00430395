import ArgumentParser
import CommandSuggestions

extension LiveSessionsCommand {
  /// Runs the program; what ArgumentParser says of a misspelt command or option is said better.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      if exitCode(for: error) == .validationFailure {
        Misspelling(CommandLine.arguments, root: Self.self)?.exit()
      }
      exit(withError: error)
    }
  }
}
