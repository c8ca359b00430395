public import ArgumentParser
import Glibc

/// Standard output of a command. A failed write ends the program with an error: a script would take the part that has
/// come for all.
public enum StandardOutput {
  /// Prints a line at once, so that a pipe sees it.
  public static func printLine(_ line: String) { write(line + "\n") }

  /// Columns of the terminal that it is; nil where it is none, or does not say.
  public static var terminalWidth: Int? {
    // As in `struct winsize`: rows, columns, pixels of both.
    var size: [UInt16] = [0, 0, 0, 0]
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size[1] > 0 else {
      return nil
    }
    return Int(size[1])
  }

  /// Writes text verbatim, unbuffered.
  public static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { fail(count == 0 ? EIO : errno) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// A reader that closes a pipe early, as head(1) does, wants no message about it.
  private static func fail(_ code: CInt) -> Never {
    guard code != EPIPE else { exit(ExitCode.failure.rawValue) }
    let program = CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? "livesessions"
    let line = "\(program): standard output: \(String(cString: strerror(code))); not all was written\n"
    line.withCString { _ = Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    exit(ExitCode.failure.rawValue)
  }
}

extension ParsableCommand {
  /// Ends the program as ArgumentParser does, but for help and versions that cannot be printed.
  public static func end(withError error: any Error) -> Never {
    guard exitCode(for: error).isSuccess else { exit(withError: error) }
    let message = fullMessage(for: error)
    if !message.isEmpty { StandardOutput.printLine(message) }
    Glibc.exit(ExitCode.success.rawValue)
  }
}
