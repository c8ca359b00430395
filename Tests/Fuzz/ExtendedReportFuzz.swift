import MediaCore
import RTP

/// Reads any octets as the blocks of an extended report (RFC 3611) and uses what they tell.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let words = 1 + size / 4
  guard words < 0x1_0000 else { return 0 }
  let head: [UInt8] = [0x80, 207, UInt8(words >> 8), UInt8(words & 255), 0, 0, 0, 9]
  let packet = head + UnsafeBufferPointer(start: data, count: size / 4 * 4)
  var reader = RTCPReader()
  var meter = RoundTripMeter()
  var responder = ReferenceTimeResponder()
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  var count = 0
  while let item = (try? reader.next(in: packet.span.bytes)) ?? nil {
    count += 1
    precondition(count <= size, "more items than octets")
    now = now + .milliseconds(10)
    switch item {
    case .receiverReferenceTime(let reporter, let ntp):
      meter.send(ntp, now: now)
      responder.receive(ntp, from: reporter, now: now)
      guard let answer = responder.takeAnswer(now: now + .milliseconds(5)) else { preconditionFailure("no answer") }
      precondition(answer.ssrc == reporter)
    case .receiverReferenceAnswer(let answer):
      let sample = meter.receive(answerTo: answer.lastReferenceTime, delay: answer.delay, now: now)
      precondition(sample.map { $0 >= .zero && $0 <= .seconds(1_000) } ?? true)
    default: preconditionFailure("no item of an extended report")
    }
  }
  return 0
}
