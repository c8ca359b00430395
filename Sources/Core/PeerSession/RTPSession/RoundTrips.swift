import MediaCore
import RTP

/// The round trip to the peer: measured with reference times (RFC 3611 §4.4) where this side sends no media, and what
/// retransmissions are planned with.
struct RoundTrips {
  private var meter = RoundTripMeter()
  private var responder = ReferenceTimeResponder()
  /// What retransmissions to this side are planned with.
  private(set) var assumed = TimeSpan.milliseconds(100)

  /// As measured by reference times.
  var measured: TimeSpan? { meter.roundTrip }

  /// A round trip that has grown counts at once: a packet requested again too early arrives twice.
  mutating func adapt(to sample: TimeSpan, smoothed: TimeSpan) { assumed = max(sample, smoothed) }

  /// Takes the peer's reference time, to answer it.
  mutating func receive(_ ntp: NTPTimestamp, from reporter: SSRC, now: MonotonicInstant) {
    responder.receive(ntp, from: reporter, now: now)
  }

  /// Takes the peer's answer; returns the round trip that it shows, if any.
  mutating func receive(_ answer: ReferenceTimeAnswer, now: MonotonicInstant) -> TimeSpan? {
    meter.receive(answerTo: answer.lastReferenceTime, delay: answer.delay, now: now)
  }

  /// Answers the peer's reference time, if there is a new one.
  mutating func writeAnswer(sender: SSRC, to writer: inout ByteWriter, now: MonotonicInstant) throws(InsufficientSpace)
  {
    guard let answer = responder.takeAnswer(now: now) else { return }
    try RTCPWriter.writeReferenceAnswer(ssrc: sender, answer: answer, to: &writer)
  }

  /// Sends a reference time for the peer to answer.
  mutating func writeQuestion(sender: SSRC, to writer: inout ByteWriter, now: MonotonicInstant)
    throws(InsufficientSpace)
  {
    let ntp = RTPClock.ntp(at: now)
    meter.send(ntp, now: now)
    try RTCPWriter.writeReceiverReferenceTime(ssrc: sender, ntp: ntp, to: &writer)
  }
}
