public import CallPolicy
import ConfigFile

/// `[[plan]]`: when the device records itself, and how long that is kept.
public struct PlanSettings: Sendable, Hashable {
  public static let maxCount = 8
  /// The name of the plan that `record = "always"` is.
  public static let simplestName = "always"
  /// The name of the plan that is due during a manual recording.
  public static let manual = "by hand"

  public enum Occasion: Sendable, Hashable {
    case always
    case hours([WeeklyHours])
    case events(EventOccasion)
    /// On the events of which a rule says so.
    case rules(EventOccasion)
    case off

    /// How events are recorded; nil for others.
    public var events: EventOccasion? {
      switch self {
      case .events(let events), .rules(let events): events
      case .always, .hours, .off: nil
      }
    }

    /// Whether rules say which events are recorded.
    public var isOfRules: Bool { if case .rules = self { true } else { false } }
  }

  /// From some time before an event to some time after it.
  public struct EventOccasion: Sendable, Hashable {
    /// Names of sources of events; nil for all.
    public var sources: [String]?
    public var preRoll: Duration
    public var postRoll: Duration

    public init(sources: [String]? = nil, preRoll: Duration, postRoll: Duration) {
      self.sources = sources
      self.preRoll = preRoll
      self.postRoll = postRoll
    }
  }

  /// What of the video is recorded.
  public enum Stream: Sendable, Hashable {
    case full
    /// The lowest temporal layer.
    case thinned
    /// One each so often, in archives of its own and without sound.
    case timeLapse(every: Duration)
  }

  /// 1 to 64 bytes; no other plan has it.
  public var name: String
  public var occasion: Occasion
  public var stream: Stream
  /// A recording continues in a new file after this time; nil as `[archive]` says.
  public var segment: Duration?
  /// Older archives of the plan are deleted; nil keeps them as all others.
  public var maximumAge: Duration?
  /// Bytes that the plan's archives may take before the oldest of them goes; 0 is no limit.
  public var maximumTotal: Int64

  /// Refuses plans that could never record what they say.
  static func check(_ plans: [PlanSettings], _ root: ConfigTable, _ configuration: DeviceConfiguration) {
    if let plan = plans.first, !configuration.video.hasCamera, configuration.audio.microphone == .none {
      root.addError(
        "there is nothing to record for plan \"\(plan.name)\": camera and microphone are \"none\"",
        remedy: "remove its [[plan]], or set video.camera", at: "plan")
    }
    if plans.contains(where: { $0.name == manual }) {
      root.addError(
        "a plan is named \"\(manual)\", the name that manual recordings have", remedy: "give it another name",
        at: "plan")
    }
    if configuration.archive.record == .always, plans.contains(where: { $0.name == simplestName }) {
      root.addError(
        "a plan is named \"\(simplestName)\", as the one that record = \"always\" makes",
        remedy: "give it another name, or set record = \"calls\" in [archive]", at: "plan")
    }
  }
}

extension DeviceConfiguration {
  /// Whether a device that was started with this has the video or audio that a plan records.
  public func serves(_ plan: PlanSettings) -> Bool {
    switch plan.stream {
    case .full: video.hasCamera || audio.microphone != .none
    case .thinned: video.hasCamera && video.temporalLayers > 1
    case .timeLapse: video.hasCamera
    }
  }
}
