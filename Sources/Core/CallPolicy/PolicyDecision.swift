public import Signalling

/// What becomes of a call.
public enum PolicyDecision: Sendable, Hashable {
  case answer(AnswerSettings)
  case reject(RejectReason)
  /// Somebody at the device decides.
  case ring(RingSettings)
}

/// What a moderator (an operator, by the role that the hub signs) may do at the device from within a call.
public enum RemoteControl: String, Sendable, Hashable, CaseIterable {
  /// Mutes microphone, speaker or camera, until the call ends at the latest.
  case mute
  /// Goes on with the next camera of those of which one is shown at a time, for everybody.
  case swapCamera = "swap-camera"
  /// Sees another one of the cameras that are captured at the same time; nobody else's picture changes.
  case chooseCamera = "choose-camera"
  /// Starts and stops the recording.
  case archive
}

/// How a call is answered.
public struct AnswerSettings: Sendable, Hashable {
  /// How long the caller hears ringing first.
  public var delay: Duration = .zero
  /// Whether the microphone is sent, if the caller asks for sound.
  public var publishesAudio = true
  /// Whether the camera is sent, if the caller asks for pictures.
  public var publishesVideo = true
  /// Whether the caller is heard at the device.
  public var mayTalk = true
  /// The caller is not heard either, but watches and listens, while so many others talk. Each costs an encoding more.
  public var maxTalkers = AnswerSettings.usualTalkers
  /// The call is ended after this time.
  public var maxDuration: Duration?
  public var isRecorded = false
  /// Whether a tone tells people near the device that a call begins.
  public var playsTone = true
  /// What a moderator may do.
  public var control = Set(RemoteControl.allCases)
  /// The name of what the caller sees, which nobody at the other end can change; nil for the main camera until a moderator
  /// chooses another.
  public var camera: String?

  /// By which ``camera`` names all cameras in one picture.
  public static let mosaic = "mosaic"

  /// What a moderator may do, ``camera`` considered.
  public var permittedControl: Set<RemoteControl> { camera == nil ? control : control.subtracting([.chooseCamera]) }

  public static let usualTalkers = 4

  public init() {}
}

/// How a call rings at the device, and what follows.
public struct RingSettings: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    case answer
    case reject(RejectReason)
  }

  public var timeout: Duration
  /// What happens when nobody decides in time.
  public var then: Outcome
  /// How the call is answered, by somebody or by the time-out.
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
    /// Somebody at the device has to answer.
    case asks
    /// Somebody at the device has to reject.
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
