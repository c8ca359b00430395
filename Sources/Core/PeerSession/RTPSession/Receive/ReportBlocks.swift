import RTP

/// The report blocks of one compound: one for video and one for audio.
struct ReportBlocks {
  private(set) var list = InlineArray<2, ReportBlock>(repeating: .unused)
  private(set) var count = 0

  /// Adds a block; two fit.
  mutating func append(_ block: ReportBlock) {
    list[count] = block
    count += 1
  }
}

extension ReportBlock {
  /// Fills places that are not reported.
  fileprivate static var unused: ReportBlock {
    ReportBlock(
      ssrc: SSRC(0), fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0, jitter: 0,
      lastSenderReport: 0, delaySinceLastSenderReport: 0)
  }
}
