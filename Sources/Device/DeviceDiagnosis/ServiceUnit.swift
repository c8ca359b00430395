import Glibc
import SystemSupport

/// What systemd's unit of the daemon says with its drop-ins of groups and devices.
struct ServiceUnit: Sendable, Hashable {
  /// As systemd.unit(5) orders them: the first that has the unit wins, drop-ins of all are read.
  private static let folders = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"]
  private static let maxBytes = 65_536

  /// Whether there is a unit at all.
  let isInstalled: Bool
  private(set) var supplementaryGroups: [String] = []
  /// Such as `char-alsa`; nil where the service may open every device that its user may.
  private(set) var devices: [String]?

  init(of instance: DeviceInstance = .unnamed, folders: [String] = Self.folders) {
    // An instance has the template's file, and drop-ins of the template and of its own.
    let template = instance.name == nil ? nil : "livesessionsd@.service"
    let names = [template, "\(instance.unit).service"].compactMap(\.self)
    let unit = names.reversed().lazy.flatMap { name in folders.lazy.compactMap { Self.text(of: "\($0)/\(name)") } }
      .first
    isInstalled = unit != nil
    for text in [unit ?? ""] + names.flatMap({ Self.dropIns(of: $0, in: folders) }) { read(text) }
  }

  private mutating func read(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let mark = line.firstIndex(of: "=") else { continue }
      let words = line[line.index(after: mark)...].split(separator: " ").map { String($0) }
      switch line[..<mark] {
      case "SupplementaryGroups": supplementaryGroups = words.isEmpty ? [] : supplementaryGroups + words
      case "DevicePolicy": devices = words == ["auto"] ? nil : devices ?? []
      case "DeviceAllow": devices = words.isEmpty ? [] : (devices ?? []) + words.prefix(1)
      default: break
      }
    }
  }

  private static func dropIns(of name: String, in folders: [String]) -> [String] {
    folders.reversed().flatMap { folder in
      let folder = "\(folder)/\(name).d"
      return FolderEntries.names(in: folder).filter { $0.hasSuffix(".conf") }.compactMap { text(of: "\(folder)/\($0)") }
    }
  }

  private static func text(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
      count = fread(buffer.baseAddress, 1, maxBytes, file)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
