import ConfigFile

extension SettingDocument {
  /// The page of section 5 of the manual.
  public var manualPage: String {
    var lines = [
      ".\\\" Made from the settings' descriptions; see CONTRIBUTING.",
      ".TH \(Self.escaped(manual.uppercased())) 5 \"\" \"LiveSessions @VERSION@\" \"File formats\"", ".SH NAME",
      "\(Self.escaped(manual)) \\- \(Self.escaped(summary))", ".SH SYNOPSIS", ".I /etc/livesessions/\(file)",
      ".SH DESCRIPTION",
    ]
    let paragraphs = description + [reloadSentence].compactMap(\.self) + ["Defaults are in parentheses."]
    lines += paragraphs.map(Self.roff).joined(separator: [".PP"])
    lines.append(".SH KEYS")
    for section in sections { lines += Self.manual(section) }
    lines += [".SH SEE ALSO", seeAlso.map(Self.reference).joined(separator: ",\n")]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func manual(_ section: SectionDescription) -> [String] {
    let head = section.header.isEmpty ? [] : [".SS \(escaped(section.header))"]
    let lead = section.help.isEmpty ? [] : roff(section.help)
    return head + lead
      + section.settings.flatMap { setting in
        let value = setting.defaultText.map { " (\(escaped($0)))" } ?? ""
        return [".TP", "\\fB\(escaped(setting.name))\\fR\(value)"] + roff(text(setting))
      }
  }

  private static func text(_ setting: SettingDescription) -> String {
    var text = setting.help + setting.informativeType
    if setting.defaultText == nil, let example = setting.example { text += " Example: `\(example)`." }
    if setting.isRequired { text += " Required." }
    return text
  }

  /// One sentence a line, code in bold.
  private static func roff(_ text: String) -> [String] {
    var isBold = false
    var marked = ""
    for character in escaped(text) {
      if character == "`" {
        marked += isBold ? "\\fR" : "\\fB"
        isBold.toggle()
      } else {
        marked.append(character)
      }
    }
    return WrappedText.lines(marked, first: "", others: "").map { line in
      line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
    }
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "…": escaped += "..."
      default: escaped.append(character)
      }
    }
    return escaped
  }

  private static func reference(_ page: String) -> String {
    let name = page.prefix { $0 != "(" }
    return ".BR \(escaped(String(name))) \(page.dropFirst(name.count))"
  }
}

extension Sequence where Element == [String] {
  fileprivate func joined(separator: [String]) -> [String] {
    reduce(into: []) { lines, paragraph in lines += (lines.isEmpty ? [] : separator) + paragraph }
  }
}
