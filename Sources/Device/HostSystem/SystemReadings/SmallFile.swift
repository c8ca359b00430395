import SystemSupport

/// Files of the kernel, which are generated on each read.
enum SmallFile {
  private static let limit = 8_192

  /// The first 8 KiB; nil where there is no such file.
  static func text(_ path: String) -> String? {
    guard let file = try? PrivateFile.read(path, limit: limit) else { return nil }
    return String(decoding: file.octets, as: UTF8.self)
  }
}
