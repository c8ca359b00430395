import RTP
import TransportCrypto

/// A transform that finds everything authentic and changes nothing, so that the input reaches what comes after.
private final class Credulous: PacketTransform {
  let tagLength = 10
  func sealRTP(_: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64) -> Bool {
    header <= length
  }
  func openRTP(_: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64) -> Bool {
    precondition(header + tagLength <= length && index >> 48 == 0)
    return true
  }
  func sealRTCP(_: inout MutableRawSpan, length: Int, ssrc: UInt32, index: UInt32) -> Bool { true }
  func openRTCP(_: inout MutableRawSpan, length: Int, ssrc: UInt32, word: SRTCPIndexWord) -> Bool { true }
  func indexWordOffset(length: Int) -> Int { length - 14 }
}

/// The input is a row of packets, each after an octet with its length; the first bit of which tells RTP from RTCP.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSRTP(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let transform = Credulous()
  var inbound = InboundProtection(rtp: transform, rtcp: transform)
  var outbound = OutboundProtection(rtp: transform, rtcp: transform)
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  var position = 0
  while position < input.count {
    let length = Int(input[position] >> 1)
    let isReport = input[position] & 1 == 1
    var storage = Array(input.dropFirst(position + 1).prefix(length))
    position += 1 + length
    let actual = storage.count
    storage += [UInt8](repeating: 0, count: maximumTrailerLength)
    var span = storage.mutableSpan
    var packet = span.mutableBytes
    if isReport {
      _ = try? inbound.unprotectRTCP(&packet, length: actual)
      _ = try? outbound.protectRTCP(&packet, length: actual)
    } else {
      _ = try? inbound.unprotectRTP(&packet, length: actual)
      _ = try? outbound.protectRTP(&packet, length: actual)
    }
  }
  return 0
}
