public import MediaCore

/// Notes when a transport's packets arrive and makes the feedback for their sender
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01).
///
/// A report is due with the first packet 50 ms after the last report, or 100 ms after it when no packet comes. The
/// memory is allocated once; of packets that come in a flood, the last 1,024 are reported.
public struct TransportFeedbackGenerator: Sendable {
  private static var window: Int64 { 1_024 }
  private static var minimumInterval: TimeSpan { .milliseconds(50) }
  private static var maximumInterval: TimeSpan { .milliseconds(100) }
  /// How late a packet may be to be reported.
  private static var maximumLateness: Int64 { 256 }

  /// By the number's low bits: the extended number and the arrival in ticks.
  private var numbers = [Int64](repeating: -1, count: Int(window))
  private var arrivals = [Int64](repeating: RTCPWriter.lostPacket, count: Int(window))
  /// Arrivals of the packets to report next, in order.
  private var pending = [Int64](repeating: RTCPWriter.lostPacket, count: Int(window))
  private var unwrapper = SequenceUnwrapper()
  /// The first packet of the next report.
  private var next: Int64?
  private var hasUnsent = false
  private var lastReport: MonotonicInstant?
  private var number: UInt8 = 0

  /// Nothing has come.
  public init() {}

  /// When to call ``write(sender:media:now:to:)`` although no packet comes; nil when there is nothing to report.
  public var deadline: MonotonicInstant? {
    guard hasUnsent, let lastReport else { return nil }
    return lastReport + Self.maximumInterval
  }

  /// Whether a report should leave now that a packet has come.
  public func isDue(now: MonotonicInstant) -> Bool {
    hasUnsent && lastReport.map { now - $0 >= Self.minimumInterval } ?? false
  }

  /// Notes that the packet with this transport-wide number arrived.
  public mutating func receive(_ sequenceNumber: SequenceNumber, now: MonotonicInstant) {
    let extended = unwrapper.unwrap(sequenceNumber)
    let slot = Int(extended & (Self.window - 1))
    guard let highest = unwrapper.highest, extended >= 0, extended > highest - Self.maximumLateness,
      numbers[slot] != extended
    else { return }
    numbers[slot] = extended
    arrivals[slot] = now.nanoseconds / TransportFeedback.tick.nanoseconds
    lastReport = lastReport ?? now
    hasUnsent = true
    // A packet that was reported lost and came after all is reported again, with those after it.
    next = max(min(next ?? extended, extended), highest - Self.window + 1)
  }

  /// Writes the report on what arrived since the last one, if there is anything; what does not fit is left to the next.
  public mutating func write(
    sender: SSRC, media: SSRC, now: MonotonicInstant, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    guard hasUnsent, let first = next, let highest = unwrapper.highest else { return }
    let count = Int(clamping: highest - first) + 1
    collect(count, from: first)
    let head = TransportFeedbackHead(
      sender: sender, media: media, number: number, first: SequenceNumber(extended: first))
    let written = try RTCPWriter.writeTransportFeedback(
      head, arrivals: pending.span.extracting(0..<count), to: &writer)
    number &+= 1
    lastReport = now
    // Arrivals too far apart for one report never stand in the way of the later ones.
    next = first + Int64(max(1, written))
    hasUnsent = next! <= highest
  }

  private mutating func collect(_ count: Int, from first: Int64) {
    var index = 0
    while index < count {
      let extended = first + Int64(index)
      let slot = Int(extended & (Self.window - 1))
      pending[index] = numbers[slot] == extended ? arrivals[slot] : RTCPWriter.lostPacket
      index += 1
    }
  }
}
