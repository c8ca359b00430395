import CommandSuggestions
import ConfigFile
import FoundationEssentials
import SafeText

/// What a report says, without what identifies.
extension Redactor {
  /// A configuration file as its keys and values; comments are left out.
  ///
  /// - Parameter secretKeys: whose values are left out whole.
  mutating func settings(_ document: ConfigDocument, secretKeys: Set<String>) -> String {
    var lines: [String] = []
    append(document.entries, header: "", secretKeys, to: &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Places on the earth, whatever their decimals.
  private static let placeKeys: Set<String> = ["latitude", "longitude", "polygon", "radius"]

  private mutating func append(
    _ entries: [ConfigEntry], header: String, _ secretKeys: Set<String>, to lines: inout [String]
  ) {
    for entry in entries {
      switch entry.node.value {
      case .table(let entries) where header.isEmpty:
        lines += ["", "[\(redacted(entry.key))]"]
        append(entries, header: entry.key, secretKeys, to: &lines)
      case .array(let nodes) where header.isEmpty && !nodes.isEmpty && nodes.allSatisfy(\.isTable):
        for node in nodes {
          guard case .table(let entries) = node.value else { continue }
          lines += ["", "[[\(redacted(entry.key))]]"]
          append(entries, header: entry.key, secretKeys, to: &lines)
        }
      case .string, .integer, .number, .boolean, .dateTime, .array, .table:
        let isPlace = header == "geofence" && Self.placeKeys.contains(entry.key)
        let isHidden = isPlace || secretKeys.contains(entry.key)
        lines.append("\(redacted(entry.key)) = \(isHidden ? "(hidden)" : text(entry.node.value))")
      }
    }
  }

  private mutating func text(_ value: ConfigValue) -> String {
    switch value {
    case .string(let text): return TOMLText.string(redacted(text))
    case .integer(let number): return "\(number)"
    case .number(let number): return redacted("\(number)")
    case .boolean(let flag): return "\(flag)"
    case .dateTime: return "…"
    case .array(let nodes):
      var texts: [String] = []
      for node in nodes { texts.append(text(node.value)) }
      return "[\(texts.joined(separator: ", "))]"
    case .table(let entries):
      var texts: [String] = []
      for entry in entries { texts.append("\(redacted(entry.key)) = \(text(entry.node.value))") }
      return "{ \(texts.joined(separator: ", ")) }"
    }
  }
}

extension ConfigNode {
  fileprivate var isTable: Bool { if case .table = value { true } else { false } }
}

extension Redactor {
  /// A value as JSON: keys stay, texts are redacted, numbers keep two decimals.
  mutating func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return "" }
    return redactedJSON(String(decoding: data, as: UTF8.self))
  }

  private mutating func redactedJSON(_ text: String) -> String {
    var rest = Substring(text)
    var output = ""
    while let quote = rest.firstIndex(of: "\"") {
      output += Self.shortened(rest[..<quote])
      let literal = rest[quote...].prefix(Self.literalLength(rest[quote...]))
      rest = rest[literal.endIndex...]
      let isKey = rest.drop(while: \.isWhitespace).first == ":"
      output += isKey ? String(literal) : redactedLiteral(literal)
    }
    return output + Self.shortened(rest) + "\n"
  }

  /// Characters from the quote to the one that ends it.
  private static func literalLength(_ text: Substring) -> Int {
    var (length, isEscaped) = (1, false)
    for character in text.dropFirst() {
      length += 1
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        break
      }
    }
    return length
  }

  private mutating func redactedLiteral(_ literal: Substring) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    guard let text = try? JSONDecoder().decode(String.self, from: Data(literal.utf8)),
      let data = try? encoder.encode(redacted(text))
    else { return "\"…\"" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Numbers between texts with two decimals.
  private static func shortened(_ text: Substring) -> String {
    var output = ""
    var decimals: Int?
    for character in text {
      if character == "." {
        decimals = 0
      } else if character.isNumber {
        decimals = decimals.map { $0 + 1 }
      } else {
        decimals = nil
      }
      if (decimals ?? 0) <= 2 { output.append(character) }
    }
    return output
  }
}
