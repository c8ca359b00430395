import ConfigFile

extension SettingDocument {
  /// The commented sample that packages install.
  public var sampleFile: String {
    var lines: [String] = []
    for paragraph in preamble + [reloadSentence].compactMap(\.self) + [pages] { lines += Self.comment(paragraph) }
    for section in sections { lines += [""] + Self.sample(section) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var pages: String {
    """
    Pages that comments name (guides/…) are in /usr/share/doc/\(file == "hub.toml" ? "livesessions-hub" : "livesessions"); \
    see also \(manual)(5).
    """
  }

  private static func sample(_ section: SectionDescription) -> [String] {
    let lead = section.help.isEmpty ? [] : comment(section.help)
    guard let sample = section.sample else {
      let header = section.header.isEmpty ? [] : [(section.isSampled ? "" : "#") + section.header]
      return lead + header + section.settings.flatMap(sample)
    }
    let keys = section.settings.flatMap { setting in
      let value = setting.defaultText.map { " (\($0))" } ?? ""
      return WrappedText.lines("\(setting.name)\(value): \(text(setting))", first: "#   ", others: "#     ")
    }
    let tables = sample.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      section.isSampled || line.isEmpty || line.hasPrefix("#") ? String(line) : "#\(line)"
    }
    return lead + keys.map(\.withoutMarks) + tables
  }

  private static func sample(_ setting: SettingDescription) -> [String] {
    let value = setting.isSampled ? setting.example : setting.defaultText ?? setting.example
    guard let value else { return comment("\(setting.name): \(text(setting))") }
    let isExample = !setting.isSampled && setting.defaultText == nil
    return comment(text(setting) + (isExample ? " For example:" : ""))
      + ["\(setting.isSampled ? "" : "#")\(setting.name) = \(value)"]
  }

  private static func text(_ setting: SettingDescription) -> String {
    setting.help + setting.informativeType + (setting.isRequired ? " Required." : "")
  }

  private static func comment(_ text: String) -> [String] {
    WrappedText.lines(text.withoutMarks, first: "# ", others: "# ")
  }
}
