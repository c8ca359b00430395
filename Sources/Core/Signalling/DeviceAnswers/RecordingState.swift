/// What a device answers to `GET` and `PUT …/recording`: its manual recording.
public struct RecordingState: Codable, Hashable, Sendable {
  public var isRecording: Bool
  /// Until it ends by itself; nil where nothing ends it so.
  public var secondsLeft: Int64?
  /// Why nothing is written just now, which is tried again; nil while all is well.
  public var problem: String?

  public init(isRecording: Bool, secondsLeft: Int64? = nil, problem: String? = nil) {
    self.isRecording = isRecording
    self.secondsLeft = secondsLeft
    self.problem = problem
  }
}
