import MediaCore
import RTP

/// Cuts the input into packets of a stream (a length, three octets of header, a payload) and assembles frames of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: data, count: size).bytes
  roundTrip(input)
  var bench = Bench()
  var reader = ByteReader(input)
  while let length = try? reader.readUInt8(), let flags = try? reader.readUInt8(), let step = try? reader.readUInt16() {
    guard let payload = try? reader.readBytes(min(Int(length), reader.remaining)) else { break }
    bench.take(payload, flags: flags, step: step)
  }
  return 0
}

/// A descriptor that parses is written back to the same meaning.
func roundTrip(_ input: RawSpan) {
  guard let descriptor = try? VP8PayloadDescriptor(parsing: input) else { return }
  var storage = [UInt8](repeating: 0x11, count: 16)
  var span = storage.mutableSpan
  var writer = ByteWriter(span.mutableBytes)
  guard (try? descriptor.write(to: &writer)) != nil else { preconditionFailure("no room") }
  precondition(writer.count == descriptor.byteCount)
  guard let again = try? VP8PayloadDescriptor(parsing: storage.span.bytes) else { preconditionFailure("unreadable") }
  precondition(again == descriptor)
}

struct Bench: ~Copyable {
  var video = VideoFrameAssembler(slotCount: 32, slotSize: 256)
  var audio = AudioReorderBuffer(slotCount: 16, slotSize: 256)
  var nack = NackGenerator(maximumMissing: 16)
  var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 90_000)
  var number: UInt16 = 0
  var timestamp: UInt32 = 0
  var now = MonotonicInstant(nanoseconds: 0)

  /// Bits of `flags`: 7 marker, 6 new timestamp, 5 number far away, 0 to 4 time that passes.
  mutating func take(_ payload: RawSpan, flags: UInt8, step: UInt16) {
    number &+= flags & 0x20 != 0 ? step : UInt16(truncatingIfNeeded: Int(Int8(truncatingIfNeeded: step)) / 16 + 1)
    if flags & 0x40 != 0 { timestamp &+= UInt32(step) }
    now = now + .milliseconds(Int64(flags & 0x1F) * 10)
    var storage = [UInt8](repeating: 0, count: 12 + payload.byteCount)
    var span = storage.mutableSpan
    var writer = ByteWriter(span.mutableBytes)
    let header = RTPHeader(
      marker: flags & 0x80 != 0, payloadType: 96, sequenceNumber: SequenceNumber(number), timestamp: timestamp,
      ssrc: SSRC(1))
    guard (try? header.write(to: &writer, extensions: RTPHeaderExtensionBlock())) != nil,
      (try? writer.write(payload)) != nil
    else { preconditionFailure("no room") }
    insert(storage)
  }

  mutating func insert(_ packet: [UInt8]) {
    guard let header = try? RTPHeader(parsing: packet.span.bytes) else { preconditionFailure("unreadable") }
    nack.receive(header.sequenceNumber, now: now)
    statistics.receive(header, now: now)
    _ = statistics.makeReportBlock(now: now)
    video.insert(header, packet: packet.span.bytes, now: now)
    audio.insert(header, packet: packet.span.bytes, now: now)
    popAll()
    var numbers = [SequenceNumber](repeating: 0, count: 8)
    var span = numbers.mutableSpan
    _ = nack.takeRequests(roundTrip: .milliseconds(50), now: now, into: &span)
    precondition(nack.missingCount <= 16)
  }

  mutating func popAll() {
    var frames = 0
    var output = [UInt8](repeating: 0, count: 1_024)
    var span = output.mutableSpan
    var bytes = span.mutableBytes
    while let frame = video.popFirst(now: now, into: &bytes) {
      frames += 1
      precondition(frames <= 32 && frame.byteCount <= 1_024)
    }
    if let deadline = video.deadline { precondition(deadline > now, "a deadline that has passed") }
    while let packet = try? audio.popFirst(now: now, into: &bytes) { precondition(packet.lostBefore >= 0) }
    if let deadline = audio.deadline { precondition(deadline > now, "a deadline that has passed") }
  }
}
