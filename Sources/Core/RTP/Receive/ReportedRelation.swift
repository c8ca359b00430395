/// Where a stream's RTP timestamp 0 lies on the local timeline, as its sender reports say it (RFC 3550 §6.4.1).
///
/// The first reports of a stream may be wrong: GStreamer computes them without knowing when its last packet was due, and is
/// off by a second. So a report is trusted at once only where it agrees with the arrival of the packets. One that contradicts
/// what is known takes effect when the next agrees with it; small differences are followed slowly, since many senders
/// read one of their clocks some milliseconds after the other.
struct ReportedRelation: Sendable {
  /// How far a first report may be from what the arrivals say: encoders and pacing hold packets back.
  private static var plausibleDelay: UInt64 { 250_000_000 }
  /// The tolerance of agreeing reports.
  private static var agreement: UInt64 { 20_000_000 }
  /// The maximum step of one report, and the part of its error that is applied.
  private static var maximumStep: Int64 { 4_000_000 }
  private static var part: Int64 { 4 }

  /// Local nanoseconds of timestamp 0; nil before any report is trusted.
  private(set) var origin: Int64?
  /// The last report, if not yet trusted.
  private var doubted: Int64?

  /// Takes what a report says.
  ///
  /// - Parameters:
  ///   - reported: local nanoseconds of timestamp 0.
  ///   - arrivals: the same by the arrivals of packets.
  mutating func receive(_ reported: Int64, arrivals: Int64?) {
    guard let error = error(of: reported, arrivals: arrivals) else { return confirm(reported) }
    doubted = nil
    origin = reported &- error &+ min(max(error / Self.part, -Self.maximumStep), Self.maximumStep)
  }

  /// A credible report's deviation from the known relation; nil for one that contradicts it.
  private func error(of reported: Int64, arrivals: Int64?) -> Int64? {
    guard let origin else {
      let isPlausible = arrivals.map { (reported &- $0).magnitude <= Self.plausibleDelay } ?? true
      return isPlausible ? 0 : nil
    }
    let error = reported &- origin
    return error.magnitude <= Self.agreement ? error : nil
  }

  private mutating func confirm(_ reported: Int64) {
    defer { doubted = reported }
    guard let doubted, (reported &- doubted).magnitude <= Self.agreement else { return }
    origin = reported
  }
}
