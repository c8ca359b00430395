import CongestionControl
import MediaCore
import RTP

/// What the peer is sent about its own rate: when each packet arrived (transport-wide feedback), or how much it may send
/// (REMB).
struct ReceiveSideCongestionControl {
  /// The maximum that the peer is asked to send.
  private let limit: Bitrate
  /// Where arrivals are reported, from the first packet on: a peer that only watches sends none.
  private var arrivals: TransportFeedbackGenerator?
  /// Where the peer takes REMB and gives no transport-wide numbers.
  private var estimator: ReceiveRateEstimator?
  private var sendTimes = AbsoluteSendTimeUnwrapper()
  private var reportedLimit: Bitrate?
  private var transportSequenceID: UInt8?
  private var absoluteSendTimeID: UInt8?
  private var takesLimit = false

  init(limit: Bitrate) { self.limit = limit }

  /// Applies the agreement.
  ///
  /// - Parameter makeEstimator: makes one where it is needed.
  mutating func follow(_ streams: NegotiatedStreams, makeEstimator: () -> ReceiveRateEstimator?) {
    transportSequenceID = streams.transportSequenceID
    absoluteSendTimeID = streams.absoluteSendTimeID
    takesLimit = streams.takesReceiveLimit
    if estimator == nil { estimator = makeEstimator() }
  }

  /// When arrivals are to be reported.
  var deadline: MonotonicInstant { arrivals?.deadline ?? .distantFuture }

  /// Records what a packet reveals about the path, for any stream.
  ///
  /// - Returns: whether arrivals are to be reported at once.
  mutating func receive(_ header: RTPHeader, packet: RawSpan, roundTrip: TimeSpan, now: MonotonicInstant) -> Bool {
    if let id = absoluteSendTimeID, estimator != nil, let time = header.absoluteSendTime(id, in: packet) {
      let sent = sendTimes.unwrap(time)
      estimator?.receive(sent: sent, byteCount: packet.byteCount, roundTrip: roundTrip, now: now)
    }
    guard let id = transportSequenceID, let number = header.transportSequenceNumber(id, in: packet) else {
      return false
    }
    if arrivals == nil { arrivals = TransportFeedbackGenerator() }
    arrivals?.receive(number, now: now)
    return arrivals?.isDue(now: now) == true
  }

  /// Writes when the packets arrived that came since the last time.
  mutating func writeArrivals(
    sender: SSRC, media: SSRC, to writer: inout ByteWriter, now: MonotonicInstant
  ) throws(InsufficientSpace) {
    try arrivals?.write(sender: sender, media: media, now: now, to: &writer)
  }

  private var presentLimit: Bitrate { estimator?.estimate ?? limit }

  /// Whether the peer sends too much to wait for the next report.
  var isLimitUrgent: Bool {
    guard takesLimit, let reportedLimit else { return false }
    return presentLimit.bitsPerSecond < reportedLimit.bitsPerSecond / 100 * 97
  }

  /// Writes how much the peer may send; without that a browser stays at its starting rate.
  mutating func writeLimit(sender: SSRC, media: SSRC?, to writer: inout ByteWriter) throws(InsufficientSpace) {
    guard let media, takesLimit else { return }
    let sources = InlineArray<1, SSRC>(repeating: media)
    try RTCPWriter.writeReceiverEstimatedMaximumBitrate(
      sender: sender, bitrate: presentLimit, media: sources.span, to: &writer)
    reportedLimit = presentLimit
  }
}
