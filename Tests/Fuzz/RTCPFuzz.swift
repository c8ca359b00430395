import MediaCore
import RTP

/// Reads any octets as compound RTCP and feeds the items to those who use them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let packet = UnsafeRawBufferPointer(start: data, count: size).bytes
  var reader = RTCPReader()
  var timeline = PeerTimeline()
  var mapper = RTPTimestampMapper(clockRate: 90_000)
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  var count = 0
  while let item = try? reader.next(in: packet) {
    count += 1
    precondition(count <= size, "more items than octets")
    if case .transportFeedback(let feedback) = item { walk(feedback, in: packet) }
    now = now + .milliseconds(10)
    use(item, &timeline, &mapper, now)
  }
  return 0
}

func use(_ item: RTCPItem, _ timeline: inout PeerTimeline, _ mapper: inout RTPTimestampMapper, _ now: MonotonicInstant)
{
  switch item {
  case .senderReport(let ssrc, let info):
    var statistics = ReceiveStatistics(ssrc: ssrc, clockRate: 90_000)
    statistics.receive(info, now: now)
    timeline.receive(info.ntp, now: now)
    _ = mapper.instant(of: info.rtpTimestamp, arrival: now)
    mapper.receive(info, timeline: timeline)
    _ = mapper.instant(of: info.rtpTimestamp &+ info.packetCount, arrival: now)
  case .reportBlock(_, let block):
    var statistics = SendStatistics(ssrc: block.ssrc, clockRate: 90_000)
    statistics.send(timestamp: block.jitter, captured: now, payloadByteCount: 1)
    let ntp = NTPTimestamp(rawValue: UInt64(block.lastSenderReport) << 16)
    _ = statistics.makeSenderInfo(ntp: ntp, now: now)
    let sample = statistics.receive(block, now: now + .seconds(1))
    precondition(sample.map { $0 >= .zero && $0 <= .seconds(1) } ?? true)
  case .nack(_, let entry):
    precondition((0...16).count { entry.number(at: $0) != nil } == entry.count)
  case .receiverReferenceTime(let reporter, let ntp):
    var responder = ReferenceTimeResponder()
    responder.receive(ntp, from: reporter, now: now)
    precondition(responder.takeAnswer(now: now)?.lastReferenceTime == ntp.compact)
  case .receiverReferenceAnswer(let answer):
    var meter = RoundTripMeter()
    meter.send(NTPTimestamp(rawValue: UInt64(answer.lastReferenceTime) << 16), now: now)
    let sample = meter.receive(answerTo: answer.lastReferenceTime, delay: answer.delay, now: now + .seconds(1))
    precondition(sample.map { $0 >= .zero && $0 <= .seconds(1) } ?? true)
  case .goodbye, .pictureLossIndication, .fullIntraRequest, .receiverEstimatedMaximumBitrate, .transportFeedback:
    break
  }
}

/// Feedback that was accepted tells of as many packets as it announces.
func walk(_ feedback: TransportFeedback, in packet: RawSpan) {
  var cursor = TransportFeedbackCursor(feedback)
  var count = 0
  while cursor.next(in: packet) != nil { count += 1 }
  precondition(count == feedback.packetCount)
}
