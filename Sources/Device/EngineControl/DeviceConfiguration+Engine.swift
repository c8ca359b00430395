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
    settings.cameras = cameras.isEmpty ? [] : viewNames
    return settings
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
