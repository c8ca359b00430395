import CallPolicy
import MediaCore

/// What the called person may see and hear before answering.
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
