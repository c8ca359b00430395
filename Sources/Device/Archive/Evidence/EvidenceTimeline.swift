import Evidence
import MediaCore

/// Maps evidence to times in the recording.
struct EvidenceTimeline {
  private let start: Int64
  private let clock: EvidenceTime

  init(_ audit: EvidenceAudit) {
    clock = audit.clock ?? EvidenceTime(wallClock: 0, isSynchronized: false, monotonic: 0)
    start = audit.files.values.map(\.start).min() ?? audit.opening?.monotonic ?? 0
  }

  /// - Parameter monotonic: milliseconds of the device's monotonic clock.
  func moment(_ monotonic: Int64) -> EvidenceMoment {
    EvidenceMoment(
      offset: max(0, monotonic.saturatingSubtracting(start)),
      wallClock: clock.wallClock.saturatingAdding(monotonic.saturatingSubtracting(clock.monotonic)),
      isSynchronized: clock.isSynchronized)
  }

  func step(_ step: EvidenceClockStep) -> EvidenceTimeStep {
    EvidenceTimeStep(from: moment(step.after), to: moment(step.before), span: step.span)
  }

  func stretch(_ range: EvidenceRange, of file: EvidenceFile) -> EvidenceStretch {
    EvidenceStretch(
      from: moment(file.start.saturatingAdding(Int64(range.from))),
      to: moment(file.start.saturatingAdding(Int64(max(range.from, range.to)))))
  }
}

extension EvidenceStretch {
  /// Both as one, if the other one follows at once or overlaps.
  func joined(with other: EvidenceStretch) -> EvidenceStretch? {
    guard other.from.offset <= to.offset, other.to.offset >= from.offset else { return nil }
    return EvidenceStretch(from: from, to: other.to)
  }
}
