public import MediaPlaneAPI

/// What the methods about cameras, microphone and loudspeaker have the daemon do.
public protocol MediaMethods: Sendable {
  func setMuted(_ target: MuteTarget, _ isMuted: Bool) async throws
  /// Switches to the next camera.
  func swapCamera() async throws
  /// Shows the other party of a call another camera, by its name.
  func chooseCamera(sessionID: String, camera: String) async throws
  /// A JPEG of what a camera sees now, also while nothing else uses it; of the further one of that name, or the main one.
  func snapshot(camera: String?) async throws -> [UInt8]
  /// Plays a sound file or speaks a text on the loudspeaker.
  func say(_ parameters: SayParameters) async throws
}

extension MethodTable {
  static let media: [InterfaceMethod] = [
    InterfaceMethod(.mute, "Ends the mutes of all parties, or mutes until it is ended here: no party of a call can.") {
      try await $0.setMuted($1.target, $1.isMuted)
    },
    InterfaceMethod(.swapCamera, "Continues with the next camera.") { control, _ in try await control.swapCamera() },
    InterfaceMethod(
      .chooseCamera,
      """
      Shows the other party of a call another camera: device, which is the main one, the name of a further one, or mosaic,
      which is all of them in one frame.
      """
    ) { try await $0.chooseCamera(sessionID: $1.sessionID, camera: $1.camera) },
    InterfaceMethod(
      .snapshot, .full,
      """
      A JPEG, in base64, of what the camera sees, or the further one of that name. A camera that is closed is opened for
      it, which takes a second or more; one image serves all who ask within two seconds.
      """
    ) { SnapshotReply(picture: try await $0.snapshot(camera: $1.camera)) },
    InterfaceMethod(
      .say,
      """
      Plays a WAV or Opus file of at most a minute on the loudspeaker, after others that wait, or speaks a text of at most
      1000 bytes with espeak-ng, where that is installed. The daemon must be able to read the file; its path is absolute.
      The voice is en, de, fr+f2 and the like (en without one). Replies when the file is read or the text is synthesized.
      """
    ) { try await $0.say($1) },
  ]
}

extension DeviceMethod<MuteParameters, NoParameters> {
  public static var mute: Self { Self("Mute") }
}

extension DeviceMethod<NoParameters, NoParameters> {
  public static var swapCamera: Self { Self("SwapCamera") }
}

extension DeviceMethod<ChooseCameraParameters, NoParameters> {
  public static var chooseCamera: Self { Self("ChooseCamera") }
}

extension DeviceMethod<SnapshotParameters, SnapshotReply> {
  public static var snapshot: Self { Self("Snapshot") }
}

extension DeviceMethod<SayParameters, NoParameters> {
  public static var say: Self { Self("Say") }
}

public struct MuteParameters: VarlinkParameters {
  public var target: MuteTarget
  public var isMuted: Bool

  public init(target: MuteTarget, isMuted: Bool) {
    self.target = target
    self.isMuted = isMuted
  }
}

public struct ChooseCameraParameters: VarlinkParameters {
  public var sessionID: String
  /// The name of a further camera, or the main one's.
  public var camera: String

  public init(sessionID: String, camera: String) {
    self.sessionID = sessionID
    self.camera = camera
  }
}

/// A file to play, or a text to speak.
public struct SayParameters: VarlinkParameters {
  /// Absolute.
  public var path: String?
  public var text: String?
  /// Who speaks the text; `en` without it.
  public var voice: String?

  public init(path: String? = nil, text: String? = nil, voice: String? = nil) {
    self.path = path
    self.text = text
    self.voice = voice
  }
}
