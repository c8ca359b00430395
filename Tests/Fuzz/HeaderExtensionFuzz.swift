import MediaCore
import RTP

/// Reads any octets as the header extension of a packet, in the form that the first octet chooses.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1, size < 1_024 else { return 0 }
  let elements = Array(UnsafeBufferPointer(start: data + 1, count: (size - 1) / 4 * 4))
  let profile: [UInt8] = data[0] & 1 == 0 ? [0xBE, 0xDE] : [0x10, data[0] >> 4]
  let head: [UInt8] = [0x90, 111, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
  let words = elements.count / 4
  let packet = head + profile + [UInt8(words >> 8), UInt8(words & 255)] + elements + [7]
  guard let header = try? RTPHeader(parsing: packet.span.bytes) else { preconditionFailure("refused") }
  precondition(header.payloadRange == packet.count - 1..<packet.count)
  var cursor = RTPHeaderExtensionCursor(header)
  var unwrapper = AbsoluteSendTimeUnwrapper()
  while let element = cursor.next(in: packet.span.bytes) {
    precondition(element.range.upperBound <= 16 + elements.count && element.range.lowerBound > 16)
    if let level = header.audioLevel(element.id, in: packet.span.bytes) {
      precondition(
        level.attenuation <= 127 && AudioLevel(attenuation: level.attenuation, isVoice: level.isVoice) == level)
    }
    if let time = header.absoluteSendTime(element.id, in: packet.span.bytes) {
      let first = unwrapper.unwrap(time)
      precondition(unwrapper.unwrap(time) == first)
    }
    _ = header.transportSequenceNumber(element.id, in: packet.span.bytes)
  }
  return 0
}
