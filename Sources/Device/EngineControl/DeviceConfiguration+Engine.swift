public import CallEngine
public import CallPolicy
public import DeviceConfiguration
import MediaCore
import Signalling

extension DeviceConfiguration {
  /// `record = "always"` is the simplest plan; the manual recording is one, too.
  var recordingPlans: [RecordingPlan] {
    let simplest: [RecordingPlan] = archive.record == .always ? [.always] : []
    let manual = RecordingPlan(name: PlanSettings.manual, occasion: .manual(TimeSpan(archive.longestManual)))
    return simplest + plans.map(\.recordingPlan) + [manual]
  }

  /// What the engine needs of configuration and policy.
  public func engineSettings(policy: CallPolicy) -> EngineSettings {
    var settings = EngineSettings(
      title: identity.title, policy: policy,
      location: LocationPublisher.Settings(
        isEnabled: location.isEnabled, fixed: location.staticLocation, precision: location.precision),
      hasAudio: audio.microphone != .none, hasVideo: video.hasCamera, maximumSessions: calls.maximumSessions)
    settings.plans = recordingPlans
    settings.permits = permits(policy)
    settings.cameras = cameras.isEmpty ? [] : viewNames
    return settings
  }
}

extension DeviceConfiguration {
  /// What some user may do at some time. Recordings that are there may be fetched by operators whatever is recorded now.
  private func permits(_ policy: CallPolicy) -> Set<DevicePermission> {
    let answers = policy.rules.compactMap(\.decision.answer)
    var permits: Set<DevicePermission> = [.recordings]
    let hears = audio.microphone != .none && answers.contains(where: \.publishesAudio)
    let talks = audio.speaker != .none && answers.contains(where: \.mayTalk)
    if !answers.isEmpty { permits.insert(.call) }
    if hears || talks { permits.insert(.audio) }
    if video.hasCamera, answers.contains(where: \.publishesVideo) { permits.insert(.watch) }
    if video.hasCamera, hub.showsSnapshots { permits.insert(.snapshot) }
    if hub.showsTimeline { permits.insert(.events) }
    if !policy.recording.allowed.isEmpty { permits.insert(.record) }
    if !policy.recording.managers.isEmpty { permits.insert(.manage) }
    return permits
  }
}

extension PolicyDecision {
  /// How a call is answered that is not rejected at once.
  fileprivate var answer: AnswerSettings? {
    switch self {
    case .answer(let answer): answer
    case .ring(let ring): ring.answer
    case .reject: nil
    }
  }
}

extension PlanSettings {
  fileprivate var recordingPlan: RecordingPlan {
    var plan = RecordingPlan(
      name: name, occasion: recordingOccasion, isThinned: stream == .thinned, segment: segment.map { TimeSpan($0) })
    if case .timeLapse(let interval) = stream { plan.timeLapse = TimeSpan(interval) }
    return plan
  }

  fileprivate var recordingOccasion: RecordingPlan.Occasion {
    switch occasion {
    case .always: .always
    case .hours(let hours): .hours(hours)
    case .off: .never
    case .events(let events): .events(RecordingPlan.EventOccasion(events))
    case .rules(let events): .rules(RecordingPlan.EventOccasion(events))
    }
  }
}

extension RecordingPlan.EventOccasion {
  fileprivate init(_ settings: PlanSettings.EventOccasion) {
    self.init(
      sources: settings.sources.map { Set($0) }, preRoll: TimeSpan(settings.preRoll),
      postRoll: TimeSpan(settings.postRoll))
  }
}
