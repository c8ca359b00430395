import Foundation
import MediaCore
import MediaCodecs
import Testing

/// A sine of 20 ms packets.
private func tone(_ frequency: Double, packet: Int, channels: Int = 1, level: Double = 8_000) -> [Int16] {
  (0..<960 * channels).map { index in
    let time = Double(packet * 960 + index / channels) / 48_000
    return Int16(level * sin(2 * .pi * frequency * time))
  }
}

/// The power of one frequency in samples (Goertzel), as part of the whole power.
private func share(of frequency: Double, in samples: ArraySlice<Int16>) -> Double {
  let step = 2 * Double.pi * frequency / 48_000
  var (real, imaginary, power) = (0.0, 0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    real += Double(sample) * cos(step * Double(index))
    imaginary += Double(sample) * sin(step * Double(index))
    power += Double(sample) * Double(sample)
  }
  return 2 * (real * real + imaginary * imaginary) / (power * Double(samples.count))
}

/// 20 ms of a voice's vowel: pulses of 120 Hz with their harmonics, four syllables a second.
private func voice(packet: Int) -> [Int16] {
  (0..<960).map { index in
    let time = Double(packet * 960 + index) / 48_000
    var pulses = 0.0
    for harmonic in 1...20 {
      let level: Double = (harmonic < 6 ? 1 : 0.5) / Double(harmonic)
      pulses += level * sin(2 * .pi * 120 * Double(harmonic) * time)
    }
    let syllables: Double = 0.55 + 0.45 * sin(2 * .pi * 4 * time)
    return Int16(4_000 * pulses * syllables)
  }
}

/// Whether a packet of one frame carries a copy of the frame before (LBRR): the second bit of SILK's header in mono (RFC
/// 6716 §4.2.3).
private func hasCopy(_ packet: [UInt8]) -> Bool {
  packet[0] >> 3 < 16 && packet.count > 1 && packet[1] & 0x40 != 0
}

private func encode(_ samples: [Int16], with encoder: inout OpusEncoder) throws -> [UInt8] {
  var packet: [UInt8] = []
  try encoder.encode(samples.span) { packet = $0.copiedToArray() }
  return packet
}

private func decode(_ packet: [UInt8], with decoder: inout OpusDecoder, channels: Int = 1) throws -> [Int16] {
  var output = [Int16](repeating: 0, count: OpusDecoder.maximumSamplesPerPacket * channels)
  var span = output.mutableSpan
  let count = try decoder.decode(packet.span.bytes, into: &span)
  return Array(output[..<(count * channels)])
}

@Suite struct OpusCodecTests {
  @Test(
    "the rate decides from which loss on packets carry copies",
    arguments: [(32, 5, false), (48, 5, true), (32, 12, true), (48, 0, false)])
  func copies(kilobits: Int, expectedLoss: Int, areSent: Bool) throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(bitrate: .kilobits(32)))
    try encoder.setBitrate(.kilobits(kilobits))
    try encoder.setExpectedLoss(expectedLoss)
    let packets = try (0..<100).map { try encode(voice(packet: $0), with: &encoder) }
    #expect((packets.count(where: hasCopy) > 30) == areSent)
  }

  @Test(arguments: [OpusChannels.mono, .stereo])
  func keepsAToneOf1000Hertz(channels: OpusChannels) throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(channels: channels))
    var decoder = try OpusDecoder(channels: channels)
    var heard: [Int16] = []
    for packet in 0..<50 {
      let encoded = try encode(tone(1_000, packet: packet, channels: channels.rawValue), with: &encoder)
      let samples = try decode(encoded, with: &decoder, channels: channels.rawValue)
      heard += stride(from: 0, to: samples.count, by: channels.rawValue).map { samples[$0] }
    }
    #expect(heard.count == 48_000)
    #expect(share(of: 1_000, in: heard[24_000...]) > 0.98)
    #expect(share(of: 1_100, in: heard[24_000...]) < 0.01)
  }

  @Test func staysNearTheBitrate() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(bitrate: .kilobits(32)))
    let bytes = try (0..<100).map { try encode(tone(440, packet: $0), with: &encoder).count }.reduce(0, +)
    #expect((5_000...10_000).contains(bytes))
    try encoder.setBitrate(.kilobits(12))
    let fewer = try (100..<200).map { try encode(tone(440, packet: $0), with: &encoder).count }.reduce(0, +)
    #expect(fewer * 3 < bytes * 2)
  }

  @Test func sendsNextToNothingInSilenceWithDTX() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(usesDiscontinuousTransmission: true))
    let silence = [Int16](repeating: 0, count: 960)
    let sizes = try (0..<100).map { _ in try encode(silence, with: &encoder).count }
    #expect(sizes.filter { $0 <= 2 }.count > 50)
  }

  @Test func recoversALostPacketFromTheNextOne() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(bitrate: .kilobits(40), expectedLoss: 30))
    var recovering = try OpusDecoder(channels: .mono)
    var concealing = try OpusDecoder(channels: .mono)
    let lost = 40
    for packet in 0..<lost {
      // The pitch jumps with the lost packet, which concealment cannot know.
      let encoded = try encode(tone(200, packet: packet), with: &encoder)
      _ = try decode(encoded, with: &recovering)
      _ = try decode(encoded, with: &concealing)
    }
    _ = try encode(tone(650, packet: lost), with: &encoder)
    let following = try encode(tone(650, packet: lost + 1), with: &encoder)
    var output = [Int16](repeating: 0, count: 960)
    var span = output.mutableSpan
    #expect(try recovering.recoverPrevious(of: following.span.bytes, samplesPerChannel: 960, into: &span) == 960)
    let recovered = share(of: 650, in: output[400...])
    span = output.mutableSpan
    #expect(try concealing.conceal(samplesPerChannel: 960, into: &span) == 960)
    let concealed = share(of: 650, in: output[400...])
    #expect(recovered > 0.5)
    #expect(concealed < 0.2)
  }

  @Test func tellsAPacketsLength() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings())
    let packet = try encode(tone(440, packet: 0), with: &encoder)
    #expect(OpusDecoder.samplesPerChannel(in: packet.span.bytes) == 960)
    let none: [UInt8] = []
    #expect(OpusDecoder.samplesPerChannel(in: none.span.bytes) == nil)
  }

  @Test func refusesDamagedPackets() throws {
    var decoder = try OpusDecoder(channels: .mono)
    var output = [Int16](repeating: 0, count: OpusDecoder.maximumSamplesPerPacket)
    for garbage in [[], [0xFF], [0x03, 0xFF, 0xFF]] as [[UInt8]] {
      var failure: OpusError?
      var span = output.mutableSpan
      do { _ = try decoder.decode(garbage.span.bytes, into: &span) } catch { failure = error }
      #expect(failure?.call == "opus_decode")
    }
  }

  @Test func refusesOddPacketLengths() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings())
    var failure: OpusError?
    do { try encoder.encode([Int16](repeating: 0, count: 777).span) { _ in } } catch { failure = error }
    #expect(failure?.call == "opus_encode")
  }

  /// A sender that leaves out what discontinuous transmission calls empty: silence stays silence, and speech comes back
  /// at its place, whether the receiver gets the empty packets (an archive) or nothing at all (a call).
  @Test(arguments: [true, false])
  func keepsTimeWithDTX(receivesEmptyPackets: Bool) throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(usesDiscontinuousTransmission: true))
    var decoder = try OpusDecoder(channels: .mono)
    var heard: [Int16] = []
    var left = 0
    for packet in 0..<200 {
      let isSilent = (50..<150).contains(packet)
      let encoded = try encode(tone(440, packet: packet, level: isSilent ? 0 : 8_000), with: &encoder)
      if encoded.count <= 2 { left += 1 }
      heard += encoded.count <= 2 && !receivesEmptyPackets ? try conceal(&decoder) : try decode(encoded, with: &decoder)
    }
    #expect(left > 60)
    #expect(heard.count == 200 * 960)
    #expect(heard[(60 * 960)..<(149 * 960)].allSatisfy { abs(Int($0)) < 200 })
    #expect(share(of: 440, in: heard[(153 * 960)..<(190 * 960)]) > 0.95)
  }

  private func conceal(_ decoder: inout OpusDecoder) throws -> [Int16] {
    var output = [Int16](repeating: 0, count: 960)
    var span = output.mutableSpan
    #expect(try decoder.conceal(samplesPerChannel: 960, into: &span) == 960)
    return output
  }

  /// The copies that are asked for while running appear, and vanish.
  @Test func changesForwardErrorCorrectionWhileRunning() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings())
    var levels: [Int] = []
    for (loss, packets) in [(0, 0..<50), (20, 50..<100), (0, 100..<150)] {
      try encoder.setExpectedLoss(loss)
      for packet in packets {
        let encoded = try encode(tone(200 + Double(packet), packet: packet), with: &encoder)
        if packet % 50 >= 10 { levels.append(try recovered(encoded)) }
      }
    }
    let isLoud = levels.map { $0 > 2_000 }
    #expect(isLoud[..<40].count { $0 } < 5)
    #expect(isLoud[40..<80].count { $0 } > 25)
    #expect(isLoud[80...].count { $0 } < 5)
  }

  /// How loud a packet's copy is to a decoder that heard nothing before; without one it makes up next to nothing.
  private func recovered(_ packet: [UInt8]) throws -> Int {
    var decoder = try OpusDecoder(channels: .mono)
    var output = [Int16](repeating: 0, count: 960)
    var span = output.mutableSpan
    _ = try decoder.recoverPrevious(of: packet.span.bytes, samplesPerChannel: 960, into: &span)
    return output.map { abs(Int($0)) }.max() ?? 0
  }

  @Test func keepsChannelsApart() throws {
    var encoder = try OpusEncoder(OpusEncoderSettings(channels: .stereo, bitrate: .kilobits(96), application: .audio))
    var decoder = try OpusDecoder(channels: .stereo)
    var heard: [Int16] = []
    for packet in 0..<50 {
      let (left, right) = (tone(500, packet: packet), tone(1_500, packet: packet))
      heard += try decode(
        try encode(zip(left, right).flatMap { [$0, $1] }, with: &encoder), with: &decoder, channels: 2)
    }
    let left = stride(from: 48_000, to: heard.count, by: 2).map { heard[$0] }
    let right = stride(from: 48_001, to: heard.count, by: 2).map { heard[$0] }
    #expect(share(of: 500, in: left[...]) > 0.9 && share(of: 1_500, in: left[...]) < 0.02)
    #expect(share(of: 1_500, in: right[...]) > 0.9 && share(of: 500, in: right[...]) < 0.02)
  }
}
