/// One capture or playback device, as the media plane knows it and the control socket shows it.
public struct MediaDeviceStatus: Codable, Sendable, Hashable {
  public var target: MuteTarget
  /// The name of a further camera; absent for all others.
  public var camera: String?
  /// The configured name, for example `/dev/video0` or `test:bars`.
  public var name: String
  /// `idle`, `opening`, `streaming`, `stalled` …
  public var state: String
  public var isMuted: Bool
  /// Who muted it: `device` for a person at the device, and the user ids of parties whose calls are up; absent when it
  /// is not muted.
  public var mutedBy: [String]?
  /// What it delivers, for people: its format, size and rate; absent while it is closed.
  public var details: String?
  /// Frames per second over the last seconds; of a camera that is open.
  public var frameRate: Double?
  /// Frames that came damaged or were left out, since the daemon's start; of a camera.
  public var dropped: Int?
  /// Times that a sound card's buffer ran over or dry, since the start; of microphone and speaker.
  public var xruns: Int?
  /// Times that it failed and was reopened, since the start; of camera and microphone.
  public var failures: Int?

  public init(target: MuteTarget, name: String, state: String, isMuted: Bool) {
    self.target = target
    self.name = name
    self.state = state
    self.isMuted = isMuted
  }
}
