import Glibc

/// What lies in a folder.
public enum FolderEntries {
  /// More names of a folder are not read.
  private static let maxNames = 65_536

  /// The names in a folder, sorted, without those that begin with a dot; empty where there is none that can be read.
  public static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < maxNames, let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
