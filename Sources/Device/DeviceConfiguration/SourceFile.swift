import ConfigFile

/// A file instead of a device: `file:` and an absolute path, played in a loop, or once with `#once` behind it.
struct SourceFile {
  static let prefix = "file:"
  private static let once = "#once"

  let path: String
  let repeats: Bool

  /// - Parameter text: begins with ``prefix``.
  init(_ text: String, key: String, example: String) throws(ConfigValueError) {
    let rest = text.dropFirst(Self.prefix.count)
    repeats = !rest.hasSuffix(Self.once)
    path = String(repeats ? rest : rest.dropLast(Self.once.count))
    guard path.hasPrefix("/"), !path.hasSuffix("/") else {
      throw ConfigValueError(
        "\(key) needs the absolute path of a file, not \"\(path)\"", remedy: "write for example \"\(example)\"")
    }
  }
}
