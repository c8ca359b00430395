import MediaCore

/// What one archive is recorded for, and how.
struct PlannedArchive: Hashable, Sendable {
  /// What of a plan decides how its archives are written.
  struct RecordingMode: Hashable, Sendable {
    /// Whether the lowest temporal layer is enough.
    var isThinned = false
    /// The interval between the frames of a time-lapse.
    var timeLapse: TimeSpan?
    /// How long a file may be before the next begins; nil as for all archives.
    var segment: TimeSpan?
  }

  /// The names of the plans, in the configuration's order.
  var plans: [String]
  var mode = RecordingMode()

  init(plans: [String], mode: RecordingMode = RecordingMode()) {
    self.plans = plans
    self.mode = mode
  }

  /// One that is enough for all of these plans.
  init(_ plans: [RecordingPlan]) {
    self.plans = plans.map(\.name)
    mode.isThinned = !plans.isEmpty && plans.allSatisfy(\.isThinned)
    mode.timeLapse = plans.compactMap(\.timeLapse).min()
    mode.segment = plans.compactMap(\.segment).min()
  }

  /// Whether an archive for these is one for those, too: in which order the plans stand does not matter.
  func isSame(as other: PlannedArchive) -> Bool {
    mode == other.mode && Set(plans) == Set(other.plans)
  }
}
