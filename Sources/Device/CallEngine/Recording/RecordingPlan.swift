public import CallPolicy
public import MediaCore

/// When the device records itself automatically.
public struct RecordingPlan: Sendable, Hashable {
  public enum Occasion: Sendable, Hashable {
    case always
    case hours([WeeklyHours])
    case events(EventOccasion)
    /// As for events, but only for those of which a rule says so; the sources are all.
    case rules(EventOccasion)
    /// While it is recorded for a user at the hub, up to a maximum duration.
    case manual(TimeSpan)
    /// Not at all; what was recorded by it before is kept as it says.
    case never
  }

  /// From some time before an event to some time after it.
  public struct EventOccasion: Sendable, Hashable {
    /// Names of sources of events; nil for all.
    public var sources: Set<String>?
    /// How much of what came before the event is recorded.
    public var preRoll: TimeSpan
    /// How long it continues after the last event.
    public var postRoll: TimeSpan

    public init(sources: Set<String>?, preRoll: TimeSpan, postRoll: TimeSpan) {
      self.sources = sources
      self.preRoll = preRoll
      self.postRoll = postRoll
    }
  }

  /// No other plan has it.
  public var name: String
  public var occasion: Occasion
  /// Whether few frames are enough: the lowest of their temporal layers.
  public var isThinned: Bool
  /// The interval between frames of a time-lapse, which has archives of its own; nil for other plans.
  public var timeLapse: TimeSpan?
  /// How long a file may be before the next begins; nil as for all archives.
  public var segment: TimeSpan?

  public init(name: String, occasion: Occasion, isThinned: Bool = false, segment: TimeSpan? = nil) {
    self.segment = segment
    self.name = name
    self.occasion = occasion
    self.isThinned = isThinned
  }

  /// The simplest plan: `record = "always"`.
  public static let always = RecordingPlan(name: "always", occasion: .always)

  var events: EventOccasion? {
    switch occasion {
    case .events(let events), .rules(let events): events
    case .always, .hours, .manual, .never: nil
    }
  }
}

/// What a plan does at the moment.
public struct RecordingPlanState: Sendable, Hashable {
  public var name: String
  /// Whether an archive is being recorded for it.
  public var isRecording: Bool
  /// What it does, and why it does not record, as text for people.
  public var text: String
}
