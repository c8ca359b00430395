import Archive
import Signalling

/// Archives that wait to be uploaded, and those that need no further check.
struct UploadBacklog {
  /// In the order in which they came.
  private(set) var waiting: [UploadCandidate<ArchiveID>] = []
  private var settled: Set<ArchiveID> = []
  private var queue = UploadQueue<ArchiveID>()

  /// Those that a survey of the folder may skip.
  var known: Set<ArchiveID> { settled.union(waiting.map(\.id)) }

  var byteCount: UInt64 { waiting.reduce(0) { $0.addingReportingOverflow($1.byteCount).partialValue } }

  var next: UploadCandidate<ArchiveID>? { queue.next(waiting) }

  /// Takes the result of a survey.
  ///
  /// - Parameters:
  ///   - isWhole: whether it left nothing out.
  ///   - hasEvents: whether something happened in an archive.
  mutating func take(
    _ survey: ArchiveUploadSurvey, isWhole: Bool, hasEvents: (ArchiveUploadSurvey.Waiting) -> Bool
  ) {
    if isWhole {
      (waiting, settled) = ([], [])
    } else {
      waiting.removeAll { !survey.present.contains($0.id) }
      settled.formIntersection(survey.present)
    }
    settled.formUnion(survey.settled)
    waiting += survey.waiting.map {
      UploadCandidate(id: $0.id, hasEvents: hasEvents($0), byteCount: $0.byteCount)
    }
  }

  /// Nothing has to be sent of it any more.
  mutating func settle(_ id: ArchiveID) {
    waiting.removeAll { $0.id == id }
    settled.insert(id)
    queue.remove(id)
  }

  /// Others go first.
  mutating func postpone(_ id: ArchiveID) { queue.postpone(id) }
}
