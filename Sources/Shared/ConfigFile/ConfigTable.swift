/// Reads one table of a configuration file key by key.
///
/// Each reading marks its key as known. A missing key yields nil or the default; a wrong value is logged as an error
/// with its place and yields the same. ``ConfigDocument/read(_:)`` refuses the keys that were not read.
///
/// ```swift
/// let settings = try document.read { root in
///   let video = root.table("video")
///   return Settings(width: video.integer("width", default: 640, in: 16...7680))
/// }
/// ```
public final class ConfigTable {
  /// The header as the file writes it, `[video]` or `[[rule]]`; empty for the root.
  public let name: String
  /// Where the table begins.
  public let position: ConfigPosition
  private let entries: [ConfigEntry]
  private let log: ConfigErrorLog
  private var askedKeys: [String] = []
  private var subtables: [ConfigTable] = []

  init(name: String, position: ConfigPosition, entries: [ConfigEntry], log: ConfigErrorLog) {
    self.name = name
    self.position = position
    self.entries = entries
    self.log = log
  }

  /// Whether the file sets `key`; asking does not mark it as known.
  public func contains(_ key: String) -> Bool { entries.contains { $0.key == key } }

  /// Whether the table is absent or empty.
  public var isEmpty: Bool { entries.isEmpty }

  /// Whether the file sets `key` to `[]`.
  public func isEmptyArray(_ key: String) -> Bool {
    guard case .array(let elements)? = entries.first(where: { $0.key == key })?.node.value else { return false }
    return elements.isEmpty
  }

  /// Marks `key` as known and returns its value as it was written.
  public func node(_ key: String) -> ConfigNode? { entry(key)?.node }

  /// The table under `key`, always the same; an empty one when the file has none.
  public func table(_ key: String) -> ConfigTable {
    let name = "[\(qualified(key))]"
    if let known = subtables.first(where: { $0.name == name }) { return known }
    let entry = entry(key)
    var children: [ConfigEntry] = []
    if case .table(let entries)? = entry?.node.value {
      children = entries
    } else if let entry {
      refuse(entry, expected: "a table", example: "[\(key)]")
    }
    return makeSubtable(name, at: entry?.keyPosition ?? position, children)
  }

  /// The tables of the array `[[key]]`, in order; none when the file has none.
  public func tables(_ key: String) -> [ConfigTable] {
    guard let entry = entry(key) else { return [] }
    guard case .array(let elements) = entry.node.value else {
      refuse(entry, expected: "an array of tables", example: "[[\(key)]]")
      return []
    }
    return elements.compactMap { element in
      guard case .table(let children) = element.value else {
        log.add(
          "\(key) holds \(element.value.kind) where a table belongs", remedy: "write [[\(key)]]", at: element.position)
        return nil
      }
      return makeSubtable("[[\(qualified(key))]]", at: element.position, children)
    }
  }

  /// The table that stands at `element` of the array under `key`, where other elements may be something else; nil for what
  /// is none. Call once an element.
  public func table(_ element: ConfigNode, of key: String) -> ConfigTable? {
    guard case .table(let children) = element.value else { return nil }
    return makeSubtable("[[\(qualified(key))]]", at: element.position, children)
  }

  /// Logs an error at the value of `key`, or at the table's head when the file does not set it.
  public func addError(_ problem: String, remedy: String? = nil, at key: String? = nil) {
    let entry = key.flatMap { key in entries.first { $0.key == key } }
    log.add(problem, remedy: remedy, at: entry?.node.position ?? position)
  }

  /// Logs that a key must be set.
  public func addMissing(_ key: String, example: String) {
    let place = name.isEmpty ? "" : " in \(name)"
    log.add("\(key) is missing\(place)", remedy: "write for example \(key) = \(example)", at: position)
  }
}

extension ConfigTable {
  func entry(_ key: String) -> ConfigEntry? {
    if !askedKeys.contains(key) { askedKeys.append(key) }
    return entries.first { $0.key == key }
  }

  func refuse(_ entry: ConfigEntry, expected: String, example: String) {
    log.add(
      "\(entry.key) must be \(expected), not \(entry.node.value.kind)", remedy: "write for example \(example)",
      at: entry.node.position)
  }

  func add(_ error: ConfigValueError, at position: ConfigPosition) {
    log.add(error.problem, remedy: error.remedy, at: position)
  }

  func refuseUnreadKeys() {
    for entry in entries where !askedKeys.contains(entry.key) {
      let place = name.isEmpty ? "" : " in \(name)"
      log.add("unknown key \"\(entry.key)\"\(place)", remedy: remedy(forUnknown: entry.key), at: entry.keyPosition)
    }
    for subtable in subtables { subtable.refuseUnreadKeys() }
  }

  private func remedy(forUnknown key: String) -> String {
    if let suggestion = closestMatch(to: key, among: askedKeys) { return "did you mean \"\(suggestion)\"?" }
    return askedKeys.isEmpty ? "remove it" : "known here: \(askedKeys.sorted().joined(separator: ", "))"
  }

  private func qualified(_ key: String) -> String {
    let parent = name.drop { $0 == "[" }.prefix { $0 != "]" }
    return parent.isEmpty ? key : "\(parent).\(key)"
  }

  private func makeSubtable(_ name: String, at position: ConfigPosition, _ entries: [ConfigEntry]) -> ConfigTable {
    let subtable = ConfigTable(name: name, position: position, entries: entries, log: log)
    subtables.append(subtable)
    return subtable
  }
}
