import Archive
import DeviceConfiguration
import MediaCore

extension DeviceConfiguration {
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

extension ArchiveSettings {
  var limits: ArchiveLimits {
    ArchiveLimits(
      maximumTotal: maximumTotal == 0 ? nil : UInt64(clamping: maximumTotal),
      minimumFree: UInt64(clamping: minimumFree), maximumAge: maximumAge.map { TimeSpan($0) })
  }
}

extension PlanSettings {
  /// What is recorded all the time makes room for what happened.
  fileprivate var limits: PlanLimits {
    PlanLimits(
      maximumAge: maximumAge.map { TimeSpan($0) },
      maximumTotal: maximumTotal == 0 ? nil : UInt64(clamping: maximumTotal), yieldsRoom: occasion.events == nil)
  }
}
