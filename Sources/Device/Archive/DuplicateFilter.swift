import MediaCore

/// Recognises frames that were taken from the pre-roll already, by their times, which increase within a kind.
struct DuplicateFilter {
  private var taken: [2 of MonotonicInstant?] = [nil, nil]

  /// A frame was taken.
  mutating func note(_ header: EncodedFrameHeader) { taken[Int(header.kind.rawValue)] = header.timestamp }

  /// Whether this one, or a later one of its kind, was taken.
  func contains(_ header: EncodedFrameHeader) -> Bool {
    taken[Int(header.kind.rawValue)].map { header.timestamp <= $0 } ?? false
  }
}
