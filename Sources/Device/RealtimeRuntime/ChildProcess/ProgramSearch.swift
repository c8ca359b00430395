internal import Glibc

/// Where programs are found that are named without a folder.
public enum ProgramSearch {
  private static let usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// `PATH`, as this process has it.
  public static var path: String { getenv("PATH").map { String(cString: $0) } ?? usualPath }

  /// The absolute path of a program that may be run; one that is absolute already is not looked at.
  ///
  /// - Parameter folders: with colons between, as in `PATH`.
  /// - Returns: nil where no folder has one.
  public static func absolutePath(of name: String, in folders: String = path) -> String? {
    guard !name.hasPrefix("/") else { return name }
    return folders.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 && isFile($0) }
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
