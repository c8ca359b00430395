import MediaCore

/// What one archive is recorded for, and how.
struct PlannedArchive: Hashable, Sendable {
  /// What of a plan decides how its archives are written.
  struct Manner: Hashable, Sendable {
    /// Whether few pictures are enough.
    var isThinned = false
    /// From one picture to the next of a time-lapse.
    var timeLapse: TimeSpan?
    /// How long a file may be before the next begins; nil as for all archives.
    var segment: TimeSpan?
  }

  /// The names of the plans, in the configuration's order.
  var plans: [String]
  var manner = Manner()

  init(plans: [String], manner: Manner = Manner()) {
    self.plans = plans
    self.manner = manner
  }

  /// One that is enough for all of these plans.
  init(_ plans: [RecordingPlan]) {
    self.plans = plans.map(\.name)
    manner.isThinned = !plans.isEmpty && plans.allSatisfy(\.isThinned)
    manner.timeLapse = plans.compactMap(\.timeLapse).min()
    manner.segment = plans.compactMap(\.segment).min()
  }

  /// Whether an archive for these is one for those, too: in which order the plans stand does not matter.
  func isSame(as other: PlannedArchive) -> Bool {
    manner == other.manner && Set(plans) == Set(other.plans)
  }
}
