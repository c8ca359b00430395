public import MediaCore
public import MediaPipeline
import RealtimeRuntime

extension SoundClip {
  /// Reads or synthesizes a sound.
  ///
  /// - Throws: ``SoundClipError``, `SpeechSynthesisError`.
  public static func load(_ announcement: Announcement) async throws -> SoundClip {
    switch announcement {
    case .file(let path): try await BlockingWork.run(.sounds) { try SoundClip(path: path) }
    case .speech(let speech):
      try await BlockingWork.run(.programs) {
        let file = try SpeechSynthesizer().synthesize(speech)
        return try SoundClip(path: file.path)
      }
    }
  }
}
