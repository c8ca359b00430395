public import CallPolicy
import MediaCore
public import Signalling

/// The engine's part of the configuration; may be replaced while calls are up.
public struct EngineSettings: Sendable {
  /// The name under which others find the device.
  public var title: String
  public var policy: CallPolicy
  public var location: LocationPublisher.Settings
  /// What callers may expect of the device.
  public var hasAudio: Bool
  public var hasVideo: Bool
  /// The names of what a caller can see, the main camera's first; empty where there is only that one.
  public var cameras: [String] = []
  /// What the hub lists the device with; nil where that is not known.
  public var permits: Set<DevicePermission>?
  /// Calls at the same time, the last of which is kept for operators; one more is `busy` whatever the policy says.
  public var maximumSessions: Int
  /// How the device's own audio and video are recorded; names are unique.
  public var plans: [RecordingPlan] = []

  public init(
    title: String, policy: CallPolicy, location: LocationPublisher.Settings = .init(), hasAudio: Bool = true,
    hasVideo: Bool = true, maximumSessions: Int = 16
  ) {
    self.title = title
    self.policy = policy
    self.location = location
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
    self.maximumSessions = maximumSessions
  }

  /// What the device has to give.
  var ownMedia: Set<MediaKind> {
    var media: Set<MediaKind> = []
    if hasAudio { media.insert(.audio) }
    if hasVideo { media.insert(.video) }
    return media
  }

  var capacity: CallCapacity {
    CallCapacity(maximumSessions: maximumSessions, callsPerCaller: policy.callsPerCaller)
  }
}

/// Why the engine did not do what it was asked for.
public enum EngineError: Error, Sendable, Equatable {
  /// No such call, or not in a phase in which this makes sense.
  case noSuchCall
  case noSuchArchive
  /// The archive could not be started, or not in time; the log says why.
  case archiveRefused
  /// A chat message that is empty or longer than 8 KiB.
  case invalidMessage
  /// The policy does not permit the device to call this user.
  case notAllowed
  /// A call with the same one is up, or rings.
  case alreadyInCall
  /// A hunt of that name runs already, or too many have run.
  case huntRuns
  /// A hunt without users, with too many, with one twice, or with an invalid ring time.
  case invalidHunt
  /// As many calls are up as there may be.
  case tooManyCalls
  /// The hub is not there.
  case notConnected
  /// The engine is shutting down.
  case stopped
}

extension EngineError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchCall: "there is no such call, or it is in another phase"
    case .noSuchArchive: "there is no such archive"
    case .archiveRefused: "the archive could not be started, or not in time; the journal says why"
    case .invalidMessage: "a message is empty or longer than 8 KiB"
    case .notAllowed: "the policy does not allow it"
    case .alreadyInCall: "there is a call with the same one"
    case .huntRuns: "its people are being called already, or too many are"
    case .invalidHunt: "a hunt has no users, too many, one twice, or an invalid ring time"
    case .tooManyCalls: "there are as many calls as there may be"
    case .notConnected: "the hub cannot be reached"
    case .stopped: "the daemon ends"
    }
  }
}
