import ArgumentParser
import CommandSuggestions

extension HubCommand {
  /// Runs the program; what ArgumentParser says of a misspelt command or option is said better.
  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      if exitCode(for: error) == .validationFailure {
        Misspelling(CommandLine.arguments, root: Self.self)?.exit()
      }
      exit(withError: error)
    }
  }
}
