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

/// What the policy says of a call that comes in and rings or is answered.
struct IncomingTerms: Sendable {
  var ring: RingSettings?
  var answer: AnswerSettings

  /// Nil for a call that is rejected at once.
  init?(_ decision: PolicyDecision) {
    switch decision {
    case .answer(let settings): answer = settings
    case .ring(let ring): (self.ring, answer) = (ring, ring.answer)
    case .reject: return nil
    }
  }
}

extension CallTerms {
  init(_ answer: AnswerSettings) {
    self.init(
      maxDuration: answer.maxDuration, isRecorded: answer.isRecorded, control: answer.permittedControl,
      camera: answer.camera)
  }

  init(_ settings: OutgoingSettings) {
    self.init(
      maxDuration: settings.maxDuration, isRecorded: settings.isRecorded, control: settings.permittedControl,
      camera: settings.camera, preview: PreviewTerms(settings))
  }
}
