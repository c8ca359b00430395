import ArgumentParser
import CommandSuggestions
import Testing

private struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "program", subcommands: [Serve.self, Account.self], defaultSubcommand: Serve.self)
}

private struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve")
  @Option var config = ""
  @Flag var quiet = false
}

private struct Account: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "account", subcommands: [Add.self])
}

private struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add")
  @Argument var name: String
  @Option var role = ""
}

@Suite("Misspelt words of command lines")
struct MisspellingTests {
  private func find(_ words: String...) -> Misspelling? {
    Misspelling(["program"] + words, root: Program.self)
  }

  @Test("a command that is none, at any depth")
  func commands() {
    #expect(find("accuont")?.message == "there is no command 'accuont'; did you mean 'account'?")
    #expect(find("account", "ad", "--role", "x")?.message == "there is no command 'ad'; did you mean 'add'?")
    #expect(find("account", "ad")?.command == "program account")
    #expect(find("zzzzzz")?.message == "there is no command 'zzzzzz'; there are serve, account")
    #expect(find("--config", "/etc/x.toml", "srve")?.message == "there is no command 'srve'; did you mean 'serve'?")
  }

  @Test("an option that the command does not have, also where an argument is missing")
  func options() {
    #expect(find("account", "add", "--rle=x")?.message == "there is no option '--rle'; did you mean '--role'?")
    #expect(find("account", "add", "--rle=x")?.command == "program account add")
    #expect(find("--cofnig", "x")?.message == "there is no option '--cofnig'; did you mean '--config'?")
    #expect(find("--quite")?.message == "there is no option '--quite'; did you mean '--quiet'?")
    #expect(find("account", "add", "--nonsense")?.message == "there is no option '--nonsense'")
    #expect(find("serve", "--role", "x")?.message == "there is no option '--role'")
  }

  @Test("what is right, or means something else")
  func others() {
    #expect(find() == nil)
    #expect(find("account", "add", "Ann", "--role", "x") == nil)
    #expect(find("account", "add", "--", "--rle") == nil)
    #expect(find("help", "acount") == nil)
    #expect(find("account", "add", "--help") == nil)
  }
}
