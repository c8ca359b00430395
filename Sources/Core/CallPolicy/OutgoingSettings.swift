/// Whom this device may call, and how such a call is made; incoming calls are up to the rules.
public struct OutgoingSettings: Sendable, Hashable {
  public enum Receivers: Sendable, Hashable {
    case noOne
    case anyone
    /// Those of these user ids.
    case users(Set<String>)
  }

  public var receivers = Receivers.anyone
  /// Whether the microphone is sent, if the call carries sound.
  public var publishesAudio = true
  /// Whether the camera is sent, if the call carries video.
  public var publishesVideo = true
  /// Whether the receiver's audio is played at the device.
  public var mayTalk = true
  /// The call is ended after this time.
  public var maxDuration: Duration?
  public var isRecorded = false
  /// What the called party may do at the device, as a moderator.
  public var control = Set(RemoteControl.allCases)
  /// The name of what the receiver sees, which the other end cannot change; nil for the main camera until a moderator
  /// chooses another.
  public var camera: String?
  /// Whether a receiver sees the device while it rings, before the call is answered.
  public var showsPreview = false
  /// Whether it is heard then, too.
  public var previewsAudio = false

  /// What a moderator may do, ``camera`` considered.
  public var permittedControl: Set<RemoteControl> { camera == nil ? control : control.subtracting([.chooseCamera]) }

  public init() {}

  public func permits(_ userID: String) -> Bool {
    switch receivers {
    case .noOne: false
    case .anyone: true
    case .users(let userIDs): userIDs.contains(userID)
    }
  }
}

extension OutgoingSettings: CustomStringConvertible {
  /// How a call is made, as text, without whom it may reach.
  public var description: String {
    var parts = [publishText(audio: publishesAudio, video: publishesVideo)]
    if let camera { parts.append("of camera \(camera)") }
    if showsPreview { parts.append("previewed\(previewsAudio ? " with sound" : "") while it rings") }
    parts.append(mayTalk ? "receiver may talk" : "receiver may not talk")
    if let maxDuration { parts.append("at most \(durationText(maxDuration))") }
    parts.append(isRecorded ? "recorded" : "not recorded")
    parts.append("receiver may control \(controlText(permittedControl))")
    return parts.joined(separator: ", ")
  }
}
