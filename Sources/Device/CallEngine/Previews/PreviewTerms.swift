import CallPolicy
import MediaCore

/// What those who are called may see and hear before they answer.
struct PreviewTerms: Sendable, Equatable {
  var hasAudio: Bool
  /// The name of what is shown; nil for the main camera.
  var camera: String?

  /// What is sent: video at least.
  var media: Set<MediaKind> { hasAudio ? [.audio, .video] : [.video] }

  /// Nil where the policy shows nothing.
  init?(_ settings: OutgoingSettings) {
    guard settings.showsPreview, settings.publishesVideo else { return nil }
    hasAudio = settings.previewsAudio && settings.publishesAudio
    camera = settings.camera
  }
}
