import ConfigFile

extension SettingDocument {
  /// `docs/reference/settings.md`: all settings of all files.
  public static var referencePage: String {
    var lines = ["# Settings", ""]
    lines += WrappedText.lines(
      """
      All keys of the files in `/etc/livesessions`. `livesessions config show` and `livesessions-hub config show` print \
      what is in force, with `--changed` only what differs from the defaults; `config set KEY VALUE` changes a file. The \
      page is made from the programs' own tables of settings.
      """, first: "", others: "")
    for document in all { lines += document.referenceLines }
    return lines.joined(separator: "\n") + "\n"
  }

  private var referenceLines: [String] {
    var lines = ["", "## \(file)"]
    for paragraph in description + [reloadSentence].compactMap(\.self) { lines += [""] + Self.paragraph(paragraph) }
    for section in sections {
      if !section.header.isEmpty { lines += ["", "### \(section.header)"] }
      if !section.help.isEmpty { lines += [""] + Self.paragraph(section.help) }
      lines += [""] + section.settings.flatMap { Self.item($0) }
    }
    return lines
  }

  private static func item(_ setting: SettingDescription) -> [String] {
    var text = "`\(setting.name)` — \(setting.type)"
    if let value = setting.defaultText { text += "; default `\(value)`" }
    if setting.isRequired { text += "; required" }
    text += ". \(linked(setting.help))"
    if setting.defaultText == nil, let example = setting.example { text += " Example: `\(example)`." }
    return WrappedText.lines(text, first: "- ", others: "  ")
  }

  private static func paragraph(_ text: String) -> [String] { WrappedText.lines(linked(text), first: "", others: "") }

  /// Names of pages become links.
  private static func linked(_ text: String) -> String {
    text.replacing(/(?:guides|reference)\/[a-z-]+\.md/) { "[\($0.output)](../\($0.output))" }
  }
}
