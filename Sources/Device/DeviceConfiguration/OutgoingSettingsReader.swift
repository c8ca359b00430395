import CallPolicy
import ConfigFile

/// Reads `[outgoing]`: whom the device may call, and how.
struct OutgoingSettingsReader {
  let table: ConfigTable
  /// The names of what there is to see; nil where they are not known.
  let cameras: [String]?

  func settings() -> OutgoingSettings {
    var settings = OutgoingSettings()
    settings.receivers = receivers()
    if let media = table.choices("publish", as: PolicyMedium.self) {
      settings.publishesAudio = media.contains(.audio)
      settings.publishesVideo = media.contains(.video)
    }
    settings.mayTalk = table.bool("talk", default: true)
    settings.maxDuration = table.duration("max_duration", in: .seconds(1)...(.seconds(7 * 86_400)))
    settings.isRecorded = table.bool("record", default: false)
    if let control = table.choices("control", as: RemoteControl.self) { settings.control = Set(control) }
    settings.camera = table.view(among: cameras, publishesVideo: settings.publishesVideo)
    return settings
  }

  private func receivers() -> OutgoingSettings.Receivers {
    guard case .array? = table.node("allowed")?.value else {
      return table.bool("allowed", default: true) ? .everybody : .nobody
    }
    if table.isEmptyArray("allowed") {
      table.addError("allowed is an empty list", remedy: "write allowed = false to call nobody", at: "allowed")
    }
    let users = table.values("allowed") { text throws(ConfigValueError) in
      if case .user(let userID)? = CallerPattern(text) { return userID }
      throw ConfigValueError(
        "\"\(text)\" is nobody to call", remedy: "write user:ID, with an id that livesessions users shows")
    }
    return .users(Set(users ?? []))
  }
}
