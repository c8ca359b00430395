public import ConfigFile
import DeviceConfiguration
import HubHTTP

/// A configuration file as its sample, its manual page and the reference describe it: what is not in its sections.
public struct SettingDocument: Sendable {
  /// The file's name in /etc/livesessions, such as `device.toml`.
  public let file: String
  /// Of the manual's line NAME.
  let summary: String
  /// Paragraphs at the head of the sample.
  let preamble: [String]
  /// Paragraphs of the manual and the reference.
  let description: [String]
  let seeAlso: [String]
  public let sections: [SectionDescription]

  var manual: String { "livesessions-\(file)" }

  /// Which settings a reload puts in force, as a sentence; nil where there is no reload.
  var reloadSentence: String? {
    let names = sections.flatMap { section -> [String] in
      let settings = section.settings.filter { section.effect(of: $0) == .reload }
      if settings.isEmpty { return [] }
      if settings.count == section.settings.count { return [section.header] }
      return section.effect == .reload
        ? [section.header + exceptions(of: section)]
        : [settings.map { "`\($0.name)`" }.joined(separator: " and ") + " of \(section.header)"]
    }
    let isEverything = sections.allSatisfy { section in
      section.settings.allSatisfy { section.effect(of: $0) == .reload }
    }
    guard !names.isEmpty, !isEverything else { return nil }
    return "`systemctl reload livesessionsd` puts changes of \(names.joined(separator: ", ")) in force. Changes of "
      + "all other settings take effect after a restart; the journal names them at a reload."
  }

  private func exceptions(of section: SectionDescription) -> String {
    let names = section.settings.filter { section.effect(of: $0) == .restart }.map { "`\($0.name)`" }
    return " (but \(names.joined(separator: ", ")))"
  }

  private static let units =
    "Sizes are written as `\"512MiB\"`, times as `\"10s\"`, `\"15m\"` or `\"30d\"`, bit rates as `\"800kbit/s\"`, distances as "
    + "`\"1km\"`, hours as `\"Mon-Fri 07:00-19:00 Europe/Berlin\"` or `\"daily 22:00-06:00\"`."
}

extension SettingDocument {
  public static let all = [device, policy, hub]

  static let device = SettingDocument(
    file: "device.toml", summary: "configuration of livesessionsd",
    preamble: [
      """
      LiveSessions: this device. Read by livesessionsd at start; `livesessions config check` finds mistakes beforehand, \
      `livesessions config show` prints what is in force, `livesessions config set KEY VALUE` changes a setting. A key \
      that is not known is an error.
      """, samples,
    ],
    description: [
      """
      The file is TOML. A key that is not known is an error with its line and column; `livesessions config check` finds \
      it before a restart does.
      """, units,
    ],
    seeAlso: ["livesessionsd(8)", "livesessions-policy.toml(5)", "livesessions(1)"],
    sections: DeviceConfiguration.sections.map(\.description))

  static let policy = SettingDocument(
    file: "policy.toml", summary: "which calls a LiveSessions device answers",
    preamble: [
      """
      LiveSessions: which calls this device answers (reference/policy.md). `systemctl reload livesessionsd` puts \
      changes in force; if there is a mistake, the old policy stays.
      """, samples,
    ],
    description: [
      """
      The file is TOML. `systemctl reload livesessionsd` puts changes in force; after a mistake the old policy stays.
      """, units,
    ],
    seeAlso: ["livesessionsd(8)", "livesessions-device.toml(5)", "livesessions(1)"],
    sections: PolicyFile.sections.map(\.description))

  static let hub = SettingDocument(
    file: "hub.toml", summary: "configuration of livesessions-hub",
    preamble: [
      """
      The LiveSessions hub. An unknown key or a wrong value stops the hub with the line and column; \
      `livesessions-hub config check` finds it before, `livesessions-hub config show` prints what is in force.
      """, samples,
    ],
    description: [
      """
      The file is TOML and may be empty. An unknown key or a wrong value stops the hub with the line and column; \
      `livesessions-hub config check` finds it beforehand. Changes take effect after a restart.
      """, units,
    ],
    seeAlso: ["livesessions-hub(8)"], sections: HubConfiguration.sections.map(\.description))

  private static let samples =
    "Lines that begin with # and a key show its default, or an example where the comment says so; remove the # to set it."
}
