import Archive
import CallEngine
import DeviceConfiguration
import MediaCore

extension DeviceConfiguration {
  /// `record = "always"` is the simplest plan; the manual recording is one, too.
  var recordingPlans: [RecordingPlan] {
    let simplest: [RecordingPlan] = archive.record == .always ? [.always] : []
    let manual = RecordingPlan(name: PlanSettings.manual, occasion: .manual(TimeSpan(archive.longestManual)))
    return simplest + plans.map(\.recordingPlan) + [manual]
  }

  /// How long archives are kept, also those of plans.
  var archiveLimits: ArchiveLimits {
    var limits = archive.limits
    limits.prefersUploaded = upload.deletesUploadedFirst
    limits.plans = Dictionary(plans.map { ($0.name, $0.limits) }) { first, _ in first }
    // As archives of no plan, whatever other plans of theirs keep.
    limits.plans[PlanSettings.manual] = PlanLimits(maximumAge: nil, maximumTotal: nil, yieldsRoom: false)
    return limits
  }

  /// How much of the past is kept for plans on events: their pre-roll, and the delay of a source's report.
  var keptPreRoll: TimeSpan {
    plans.compactMap { plan in
      guard let occasion = plan.occasion.events, occasion.preRoll > .zero else { return nil }
      let sources = events.sources.filter { occasion.sources?.contains($0.name) != false }
      return TimeSpan(occasion.preRoll) + (sources.map(\.delay).max() ?? .zero)
    }.max() ?? .zero
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

  /// What is recorded all the time makes room for what happened.
  fileprivate var limits: PlanLimits {
    PlanLimits(
      maximumAge: maximumAge.map { TimeSpan($0) },
      maximumTotal: maximumTotal == 0 ? nil : UInt64(clamping: maximumTotal), yieldsRoom: occasion.events == nil)
  }
}

extension RecordingPlan.EventOccasion {
  fileprivate init(_ settings: PlanSettings.EventOccasion) {
    self.init(
      sources: settings.sources.map { Set($0) }, preRoll: TimeSpan(settings.preRoll),
      postRoll: TimeSpan(settings.postRoll))
  }
}
