import CongestionControl
import MediaCore
import RTP

// The first octet chooses what the others are: the content of transport feedback, or arrivals to be told by it.

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  if data[0] & 1 == 0 { read(input) } else { write(input) }
  return 0
}

/// Whatever feedback says, the estimate stays within its limits.
func read(_ content: [UInt8]) {
  let words = 2 + content.count / 4
  guard words < 0x1_0000 else { return }
  let head: [UInt8] = [0x8F, 205, UInt8(words >> 8), UInt8(words & 255), 0, 0, 0, 1, 0, 0, 0, 2]
  let packet = head + content.prefix(content.count / 4 * 4)
  var reader = RTCPReader()
  guard case .transportFeedback(let feedback) = (try? reader.next(in: packet.span.bytes)) ?? nil else { return }
  var estimator = SendRateEstimator(
    feedback: .transportWide, start: .kilobits(500), limits: .kilobits(30)...(.kilobits(3_000)))
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  for number in 0..<1_000 as Range<Int64> {
    estimator.send(number: number, byteCount: 1_000, probe: estimator.takeProbe(now: now)?.id ?? 0, now: now)
    now = now + .microseconds(700)
  }
  estimator.beginFeedback()
  var cursor = TransportFeedbackCursor(feedback)
  var count = 0
  while let arrival = cursor.next(in: packet.span.bytes) {
    count += 1
    estimator.report(number: Int64(arrival.sequenceNumber.rawValue), arrival: arrival.time, now: now)
  }
  estimator.endFeedback(now: now)
  precondition(count == feedback.packetCount)
  precondition((.kilobits(30)...(.kilobits(3_000))).contains(estimator.estimate))
}

/// What is written reads back: numbers in order, times exact to a tick.
func write(_ steps: [UInt8]) {
  var generator = TransportFeedbackGenerator()
  var number: SequenceNumber = 0xFF00
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  for step in steps {
    number = number.advanced(by: step & 0x80 == 0 ? Int(step & 7) : -Int(step & 7))
    now = now + .microseconds(Int64(step >> 3) * 1_500)
    generator.receive(number, now: now)
    if step == 0xFF { now = now + .seconds(9) }
    if generator.isDue(now: now) { report(&generator, now: now) }
  }
  var rounds = 0
  while generator.deadline != nil {
    report(&generator, now: now)
    rounds += 1
    precondition(rounds < 1_100, "news without end")
  }
}

func report(_ generator: inout TransportFeedbackGenerator, now: MonotonicInstant) {
  var storage = [UInt8](repeating: 0, count: 1_200)
  var span = storage.mutableSpan
  var writer = ByteWriter(span.mutableBytes)
  guard (try? generator.write(sender: SSRC(1), media: SSRC(2), now: now, to: &writer)) != nil else {
    preconditionFailure("no room")
  }
  let packet = Array(storage[..<writer.count])
  guard !packet.isEmpty else { return }
  var reader = RTCPReader()
  guard case .transportFeedback(let feedback) = (try? reader.next(in: packet.span.bytes)) ?? nil else {
    preconditionFailure("unreadable")
  }
  var cursor = TransportFeedbackCursor(feedback)
  var arrivals = 0
  while let arrival = cursor.next(in: packet.span.bytes) {
    guard let time = arrival.time else { continue }
    arrivals += 1
    precondition(time.nanoseconds <= now.nanoseconds)
  }
  precondition(arrivals > 0)
}
