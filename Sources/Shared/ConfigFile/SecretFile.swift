import Glibc

/// Reads passwords and keys from files that no other user may read.
public enum SecretFile {
  /// Returns the file's first line without surrounding white space.
  ///
  /// - Throws: when the file cannot be read, is readable or writable by group or others, or holds nothing. The mode is
  ///   checked on the open file, so it cannot change in between. That an access-control list lets this process's own user
  ///   read it is no reason: so systemd, since version 254, provides credentials to services that are not root's.
  public static func read(path: String) throws(ConfigErrors) -> String {
    do {
      return try readChecked(path)
    } catch {
      throw ConfigErrors([ConfigError(file: path, position: nil, problem: error.problem, remedy: error.remedy)])
    }
  }

  /// Checks a file that another component reads: a private key.
  ///
  /// - Throws: when it cannot be read, or is readable or writable by group or others.
  public static func check(path: String) throws(ConfigErrors) {
    do {
      let file = try open(path)
      close(file)
    } catch {
      throw ConfigErrors([ConfigError(file: path, position: nil, problem: error.problem, remedy: error.remedy)])
    }
  }

  private static func open(_ path: String) throws(ConfigValueError) -> CInt {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw BoundedFile.cannotRead(errno) }
    do throws(ConfigValueError) {
      try checkMode(file, path)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  private static func readChecked(_ path: String) throws(ConfigValueError) -> String {
    let file = try open(path)
    defer { close(file) }
    let bytes = try BoundedFile.read(file, maximumBytes: 4_096)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigValueError("the secret is not UTF-8 text")
    }
    let line = text.prefix { !$0.isNewline }.drop { $0.isWhitespace }
    guard let end = line.lastIndex(where: { !$0.isWhitespace }) else { throw ConfigValueError("the secret is empty") }
    return String(line[...end])
  }

  private static func checkMode(_ file: CInt, _ path: String) throws(ConfigValueError) {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw BoundedFile.cannotRead(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw ConfigValueError("the secret is not a regular file") }
    guard status.st_mode & 0o077 == 0 || isPrivateByList(file, status.st_mode) else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw ConfigValueError("the secret has mode 0\(mode), others can read it", remedy: "run: chmod 0600 '\(path)'")
    }
  }

  /// With an access-control list the group bits are its mask: the maximum for every entry.
  private static func isPrivateByList(_ file: CInt, _ mode: mode_t) -> Bool {
    mode & 0o007 == 0 && AccessList(of: file)?.isPrivate(to: geteuid()) == true
  }
}

extension SecretFile {
  /// Whether there is something at `path`; it may still be unreadable.
  public static func exists(path: String) -> Bool { access(path, F_OK) == 0 }
}
