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

/// What is taken for a retransmission gives back a packet without the two octets of the original number.
func retransmit(_ packet: RawSpan, _ header: RTPHeader) {
  guard packet.byteCount <= 1_400 else { return }
  var restored = [UInt8](repeating: 0, count: 1_500)
  var span = restored.mutableSpan
  var bytes = span.mutableBytes
  let unwrapped = try? RTXDecapsulation.unwrap(
    packet, header: header, originalSSRC: SSRC(1), originalPayloadType: 96, into: &bytes)
  guard let count = unwrapped ?? nil else { return }
  let original = Array(restored[..<count])
  guard let inner = try? RTPHeader(parsing: original.span.bytes) else { preconditionFailure("unreadable") }
  precondition(inner.ssrc == SSRC(1) && inner.payloadRange.count + 2 == header.payloadRange.count)
}
