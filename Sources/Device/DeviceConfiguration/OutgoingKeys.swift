import CallPolicy
import ConfigFile

/// `[outgoing]` as the file has it: whom the device may call, and how.
struct OutgoingKeys: SettingGroup {
  private var outgoing = OutgoingSettings()
  private var media = PolicyMedium.allCases
  private var control = RemoteControl.allCases

  static let settings: [Setting<OutgoingKeys>] = [
    Setting(
      "allowed", \.outgoing.receivers,
      SettingType("boolean, or list of users", read: receivers, text: { $0 == .anyone ? "true" : nil }),
      "Whom the device may call: `true`, `false`, or a list of `\"user:ID\"`."),
    Setting("publish", \.media, .choices(), "What is sent."),
    Setting("talk", \.outgoing.mayTalk, .bool, "Whether the receiver is heard at the device."),
    Setting(
      "max_duration", \.outgoing.maxDuration, .duration(.seconds(1)...(.seconds(7 * 86_400))), example: "\"10m\"",
      "The call is ended after this time; without it there is no limit."),
    Setting("record", \.outgoing.isRecorded, .bool, "Whether the call is recorded."),
    Setting(
      "control", \.control, .choices(), "What a receiver who is an operator may do at the device; `[]` is nothing."),
    Setting(
      "camera", "name", example: "\"yard\"", "What the receiver sees, of a device with several cameras; as in [[rule]]."
    ),
    Setting(
      "preview", \.outgoing.showsPreview, .bool,
      "Whether a receiver sees the video while it rings, before the call is answered (guides/doors.md)."),
    Setting("preview_audio", \.outgoing.previewsAudio, .bool, "Whether the preview has sound."),
  ]

  /// - Parameter cameras: the names of what there is to see; nil where they are not known.
  func settings(_ table: ConfigTable, cameras: [String]?) -> OutgoingSettings {
    var settings = outgoing
    settings.publishesAudio = media.contains(.audio)
    settings.publishesVideo = media.contains(.video)
    settings.control = Set(control)
    check(table)
    settings.camera = table.view(among: cameras, publishesVideo: settings.publishesVideo)
    return settings
  }

  private func check(_ table: ConfigTable) {
    if outgoing.showsPreview, !media.contains(.video) {
      table.addError("there is no preview without video", remedy: "add video to publish", at: "preview")
    }
    if outgoing.previewsAudio, !outgoing.showsPreview || !media.contains(.audio) {
      let remedy = outgoing.showsPreview ? "add audio to publish" : "write preview = true"
      table.addError("there is no preview with sound", remedy: remedy, at: "preview_audio")
    }
  }

  private static func receivers(_ table: ConfigTable, _ key: String) -> OutgoingSettings.Receivers? {
    guard case .array? = table.node(key)?.value else {
      return table.bool(key).map { $0 ? .anyone : .noOne }
    }
    if table.isEmptyArray(key) {
      table.addError("\(key) is an empty list", remedy: "write \(key) = false to permit no calls", at: key)
    }
    let users = table.values(key) { text throws(ConfigValueError) in
      if case .user(let userID)? = CallerPattern(text) { return userID }
      throw ConfigValueError(
        "\"\(text)\" is no user to call", remedy: "write user:ID, with an id that livesessions users shows")
    }
    return .users(Set(users ?? []))
  }
}
