import Foundation

/// Asks questions on the terminal; answers are single lines.
struct Terminal {
  /// Nil where standard input or output is none: there is no one to ask.
  init?() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
  }

  /// - Parameter usual: what an empty answer means; nil for asking again.
  func ask(_ question: String, usual: String? = nil) throws(Failure) -> String {
    while true {
      write("\(question)\(usual.map { " [\($0)]" } ?? ""): ")
      let answer = try line().trimmingCharacters(in: .whitespaces)
      if !answer.isEmpty { return answer }
      if let usual { return usual }
    }
  }

  /// Asks twice, without showing what is typed.
  func askPassword() throws(Failure) -> String {
    while true {
      let password = try hidden("Password")
      if try hidden("The same again") == password { return password }
      write("The two differ.\n")
    }
  }

  private func hidden(_ question: String) throws(Failure) -> String {
    var shown = termios()
    guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
      throw Failure("the terminal: \(String(cString: strerror(errno)))")
    }
    var hidden = shown
    // Without signals of keys: Ctrl-C would end the program before the terminal shows what is typed again.
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    write("\(question): ")
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
      throw Failure("the terminal: \(String(cString: strerror(errno)))")
    }
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
      write("\n")
    }
    let answer = try line()
    guard !answer.unicodeScalars.contains("\u{3}") else { throw Failure("given up") }
    return answer
  }

  private func line() throws(Failure) -> String {
    guard let line = readLine() else { throw Failure("given up") }
    return line
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
