import ConfigFile

/// Breaks sentences into lines.
enum WrappedText {
  /// - Parameters:
  ///   - first: before the first line.
  ///   - others: before all others.
  static func lines(_ text: String, first: String, others: String, width: Int = 120) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = others
        isEmpty = true
      }
      line += isEmpty ? "\(word)" : " \(word)"
      isEmpty = false
    }
    return isEmpty ? lines : lines + [line]
  }
}

extension SettingDescription {
  /// The type as a sentence behind the help, where it has a range or names values; else empty.
  var informativeType: String {
    type.contains(where: { $0.isNumber || $0 == "\"" }) ? " \(type.withCapital)." : ""
  }
}

extension String {
  var withCapital: String { prefix(1).uppercased() + dropFirst() }

  var withoutMarks: String { String(filter { $0 != "`" }) }
}
