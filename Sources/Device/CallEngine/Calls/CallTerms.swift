import CallPolicy

/// What holds for a call once media flows.
struct CallTerms: Sendable {
  var maxDuration: Duration?
  var isRecorded = false
  /// What a moderator may do at the device.
  var control: Set<RemoteControl> = []
  /// What the other party sees until another choice is made; nil for the main camera.
  var camera: String?
  /// What those who are called see before they answer; nil for nothing, and in a call that came in.
  var preview: PreviewTerms?
}
