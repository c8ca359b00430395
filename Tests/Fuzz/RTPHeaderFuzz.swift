import MediaCore
import RTP

/// Parses any octets as RTP, walks its extensions, and checks that what can be written back parses to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let packet = UnsafeRawBufferPointer(start: data, count: size).bytes
  _ = DatagramKind(packet)
  guard let header = try? RTPHeader(parsing: packet) else { return 0 }
  precondition(header.payloadRange.upperBound <= size && header.extensionRange.upperBound <= size)
  var block = RTPHeaderExtensionBlock()
  var cursor = RTPHeaderExtensionCursor(header)
  while let element = cursor.next(in: packet) {
    precondition(element.range.upperBound <= header.extensionRange.upperBound && element.id != 0)
    block.set(element.id, to: packet.extracting(element.range))
  }
  for index in 0..<16 { precondition((header.csrc(at: index, in: packet) != nil) == (index < header.csrcCount)) }
  rewrite(header, block)
  retransmit(packet, header)
  return 0
}

func rewrite(_ header: RTPHeader, _ block: RTPHeaderExtensionBlock) {
  var storage = [UInt8](repeating: 0, count: 256)
  var span = storage.mutableSpan
  var writer = ByteWriter(span.mutableBytes)
  guard (try? header.write(to: &writer, extensions: block)) != nil else { preconditionFailure("no room") }
  let count = writer.count
  precondition(count == RTPHeader.byteCount(with: block))
  let written = Array(storage[..<count])
  guard let again = try? RTPHeader(parsing: written.span.bytes) else { preconditionFailure("unreadable") }
  precondition(again.sequenceNumber == header.sequenceNumber && again.ssrc == header.ssrc)
  precondition(again.timestamp == header.timestamp && again.payloadRange.isEmpty)
}

/// Wrapping a packet and unwrapping it must give back payload and sequence number.
func retransmit(_ packet: RawSpan, _ header: RTPHeader) {
  guard packet.byteCount <= 1_400 else { return }
  var rtx = RTXEncapsulation(ssrc: SSRC(1), payloadType: 97, firstSequenceNumber: 0)
  var wrapped = [UInt8](repeating: 0, count: 1_500)
  var restored = [UInt8](repeating: 0, count: 1_500)
  let wrappedCount = write(into: &wrapped) { try? rtx.wrap(packet, extensions: RTPHeaderExtensionBlock(), into: &$0) }
  let sent = Array(wrapped[..<wrappedCount])
  guard let outer = try? RTPHeader(parsing: sent.span.bytes) else { preconditionFailure("unreadable") }
  let count = write(into: &restored) {
    try? RTXDecapsulation.unwrap(
      sent.span.bytes, header: outer, originalSSRC: header.ssrc, originalPayloadType: header.payloadType, into: &$0)
  }
  let original = Array(restored[..<count])
  guard let inner = try? RTPHeader(parsing: original.span.bytes) else { preconditionFailure("unreadable") }
  precondition(inner.sequenceNumber == header.sequenceNumber && inner.payloadRange.count == header.payloadRange.count)
}

func write(into storage: inout [UInt8], _ body: (inout MutableRawSpan) -> Int??) -> Int {
  var span = storage.mutableSpan
  var bytes = span.mutableBytes
  guard let outer = body(&bytes), let count = outer else { preconditionFailure("not written") }
  return count
}
