/// Whom this device may call, and how such a call goes; whose calls it answers is the rules' business.
public struct OutgoingSettings: Sendable, Hashable {
  public enum Receivers: Sendable, Hashable {
    case nobody
    case everybody
    /// Those of these user ids.
    case users(Set<String>)
  }

  public var receivers = Receivers.everybody
  /// Whether the microphone is sent, if the call carries sound.
  public var publishesAudio = true
  /// Whether the camera is sent, if the call carries pictures.
  public var publishesVideo = true
  /// Whether the receiver is heard at the device.
  public var mayTalk = true
  /// The call is ended after this time.
  public var maxDuration: Duration?
  public var isRecorded = false
  /// What whoever is called may do at the device, as a moderator.
  public var control = Set(RemoteControl.allCases)

  public init() {}

  public func permits(_ userID: String) -> Bool {
    switch receivers {
    case .nobody: false
    case .everybody: true
    case .users(let userIDs): userIDs.contains(userID)
    }
  }
}
