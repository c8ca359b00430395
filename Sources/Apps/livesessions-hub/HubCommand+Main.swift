import ArgumentParser
import CommandSuggestions
import Glibc

extension HubCommand {
  /// Runs the program; what ArgumentParser says of a misspelt command or option is said better.
  static func main() async {
    // A file that may become no larger is an error of the file (EFBIG).
    signal(SIGXFSZ, SIG_IGN)
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
      end(withError: error)
    }
  }
}
