import MediaCodecs

/// The samples of all packets, one after the other.
func decodedSound(_ packets: [ReceivedFrame]) throws -> [Int16] {
  var decoder = try OpusDecoder(channels: .mono)
  var samples: [Int16] = []
  var output = [Int16](repeating: 0, count: OpusDecoder.maximumSamplesPerPacket)
  for packet in packets {
    var span = output.mutableSpan
    let count = try decoder.decode(packet.payload.span.bytes, into: &span)
    samples += output[..<count]
  }
  return samples
}
