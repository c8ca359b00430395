public import Signalling

/// What becomes of a call.
public enum PolicyDecision: Sendable, Hashable {
  case answer(AnswerSettings)
  case reject(RejectReason)
  /// A person at the device decides.
  case ring(RingSettings)
}

/// What a moderator (an operator, by the role that the hub signs) may do at the device from within a call.
public enum RemoteControl: String, Sendable, Hashable, CaseIterable {
  /// Mutes microphone, speaker or camera, until the call ends at the latest.
  case mute
  /// Switches to the next of the cameras of which one is shown at a time, for all viewers.
  case swapCamera = "swap-camera"
  /// Selects another of the simultaneously captured cameras; other viewers' video is unaffected.
  case chooseCamera = "choose-camera"
  /// Starts and stops the recording.
  case archive
}

/// How a call is answered.
public struct AnswerSettings: Sendable, Hashable {
  /// How long it rings first.
  public var delay: Duration = .zero
  /// Whether the microphone is sent, if the caller asks for audio.
  public var publishesAudio = true
  /// Whether the camera is sent, if the caller asks for video.
  public var publishesVideo = true
  /// Whether the caller's audio is played at the device.
  public var mayTalk = true
  /// The maximum number of talkers at once: further callers only watch and listen. Each talker costs one more encoding.
  public var maxTalkers = AnswerSettings.usualTalkers
  /// The call is ended after this time.
  public var maxDuration: Duration?
  public var isRecorded = false
  /// Whether a tone announces the call near the device.
  public var playsTone = true
  /// What a moderator may do.
  public var control = Set(RemoteControl.allCases)
  /// The name of what the caller sees, which the other end cannot change; nil for the main camera until a moderator
  /// chooses another.
  public var camera: String?

  /// The value of ``camera`` for all cameras in one frame.
  public static let mosaic = "mosaic"

  /// What a moderator may do, ``camera`` considered.
  public var permittedControl: Set<RemoteControl> { camera == nil ? control : control.subtracting([.chooseCamera]) }

  public static let usualTalkers = 4

  public init() {}
}

/// How a call rings at the device, and the outcome.
public struct RingSettings: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    case answer
    case reject(RejectReason)
  }

  public var timeout: Duration
  /// What happens without a decision in time.
  public var then: Outcome
  /// How the call is answered, by a person or by the timeout.
  public var answer: AnswerSettings

  public init(timeout: Duration, then: Outcome, answer: AnswerSettings) {
    self.timeout = timeout
    self.then = then
    self.answer = answer
  }
}

extension PolicyDecision {
  /// How freely a decision lets a caller in, the strictest first. How a call is answered makes no difference here.
  enum Strictness: Comparable {
    case rejects
    /// A person at the device has to answer.
    case asks
    /// A person at the device has to reject.
    case asksThenAnswers
    case answers
  }

  var strictness: Strictness {
    switch self {
    case .reject: .rejects
    case .ring(let ring): ring.then == .answer ? .asksThenAnswers : .asks
    case .answer: .answers
    }
  }
}

extension PolicyDecision: CustomStringConvertible {
  public var description: String {
    switch self {
    case .answer(let settings): "answer: \(settings)"
    case .reject(let reason): "reject (\(reason.rawValue))"
    case .ring(let settings):
      switch settings.then {
      case .answer: "ring for \(durationText(settings.timeout)), then answer: \(settings.answer)"
      case .reject(let reason):
        "ring for \(durationText(settings.timeout)), then reject (\(reason.rawValue)); if answered: \(settings.answer)"
      }
    }
  }
}

extension AnswerSettings: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    if delay > .zero { parts.append("after \(durationText(delay))") }
    parts.append(publishText(audio: publishesAudio, video: publishesVideo))
    if let camera { parts.append("of camera \(camera)") }
    parts.append(talkText)
    if let maxDuration { parts.append("at most \(durationText(maxDuration))") }
    parts.append(isRecorded ? "recorded" : "not recorded")
    parts.append(playsTone ? "with a tone" : "without a tone")
    parts.append("operators may control \(controlText(permittedControl))")
    return parts.joined(separator: ", ")
  }

  private var talkText: String {
    guard mayTalk else { return "caller may not talk" }
    return maxTalkers == Self.usualTalkers ? "caller may talk" : "caller may talk unless \(maxTalkers) others do"
  }
}

func publishText(audio: Bool, video: Bool) -> String {
  let media = [audio ? "audio" : nil, video ? "video" : nil].compactMap { $0 }
  return "publish \(media.isEmpty ? "nothing" : media.joined(separator: " and "))"
}

func controlText(_ control: Set<RemoteControl>) -> String {
  let controls = RemoteControl.allCases.filter { control.contains($0) }.map { $0.rawValue }
  return controls.isEmpty ? "nothing" : controls.joined(separator: "/")
}
