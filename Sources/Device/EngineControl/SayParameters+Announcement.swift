import ControlMessages
import MediaCore

extension SayParameters {
  /// A file or a text, not both.
  var announcement: Announcement {
    get throws(DeviceControlError) {
      guard let text else { return .file(path: try absolutePath) }
      guard path == nil else { throw .invalidParameter("path") }
      let voice = voice ?? "en"
      guard Announcement.Speech.isVoice(voice) else { throw .invalidParameter("voice") }
      guard let speech = Announcement.Speech(text, voice: voice) else { throw .invalidParameter("text") }
      return .speech(speech)
    }
  }

  private var absolutePath: String {
    get throws(DeviceControlError) {
      guard let path, path.hasPrefix("/") else { throw .invalidParameter("path") }
      guard voice == nil else { throw .invalidParameter("voice") }
      return path
    }
  }
}
