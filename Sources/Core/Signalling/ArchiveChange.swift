/// What an operator at the hub may do with an archive of a device.
public enum ArchiveChange: Sendable, Hashable {
  /// Keeps it from being deleted.
  case lock
  case unlock
  case delete
  /// Gives it another name, or none.
  case rename(String)

  /// Bytes of a name in UTF-8.
  public static let longestName = 128

  /// Such as `lock`, or `name/48616c6c6f`: a name is the hexadecimal form of its UTF-8.
  public var text: String {
    switch self {
    case .lock: "lock"
    case .unlock: "unlock"
    case .delete: "delete"
    case .rename(let name): "name/" + name.utf8.map { Self.hexadecimal($0) }.joined()
    }
  }

  /// Reads what ``text`` writes; nil for anything else, and for names that are too long.
  public init?(_ text: String) {
    switch text {
    case "lock": self = .lock
    case "unlock": self = .unlock
    case "delete": self = .delete
    default:
      guard text.hasPrefix("name/"), let name = Self.name(hexadecimal: text.dropFirst("name/".count)) else {
        return nil
      }
      self = .rename(name)
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private static func name(hexadecimal text: Substring) -> String? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), digits.count <= 2 * longestName,
      digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    return String(validating: bytes, as: UTF8.self)
  }

  /// - Parameter digit: hexadecimal, in lower case.
  private static func value(_ digit: UInt8) -> UInt8 {
    digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
  }
}

/// What a device answers to `PATCH` and `DELETE …/archives/{archiveID}`.
public struct ArchiveState: Codable, Hashable, Sendable {
  public var id: ArchiveID
  public var name: String
  /// Whether it is kept from deletion.
  public var isLocked: Bool
  public var isDeleted: Bool

  public init(id: ArchiveID, name: String, isLocked: Bool, isDeleted: Bool) {
    self.id = id
    self.name = name
    self.isLocked = isLocked
    self.isDeleted = isDeleted
  }
}
