import CTestSupport
import Glibc
import MediaCore
import Testing
import MediaCodecs

/// One frame as the encoder delivered it.
private struct Frame {
  var info: VP8FrameInfo
  var payload: [UInt8]
}

private func settings(
  bitrate: Bitrate = .kilobits(300), layers: Int = 1, keyFrames: TimeSpan = .seconds(100)
) -> VP8EncoderSettings {
  VP8EncoderSettings(
    width: 320, height: 180, frameRate: 30, bitrate: bitrate, temporalLayers: layers,
    maximumKeyFrameInterval: keyFrames, dropsFrames: false)
}

/// A grey picture with a lighter block whose place depends on `index`.
private func draw(_ index: Int, into picture: inout I420Buffer) {
  picture.fill(FrameArea(x: 0, y: 0, width: 320, height: 180), with: YUVColour(y: 60))
  picture.fill(
    FrameArea(x: index * 4 % 256, y: index * 2 % 128, width: 64, height: 48), with: YUVColour(y: 200, u: 90, v: 160))
}

private func timestamp(_ index: Int) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 5_000_000_000 + Int64(index) * 33_333_333)
}

private func encode(
  _ range: Range<Int>, with encoder: inout VP8Encoder, forced: Set<Int> = []
) throws -> [Frame] {
  var picture = I420Buffer(width: 320, height: 180)
  var frames: [Frame] = []
  for index in range {
    draw(index, into: &picture)
    try encoder.encode(
      picture.view, at: timestamp(index), duration: .milliseconds(33), forcesKeyFrame: forced.contains(index)
    ) { frames.append(Frame(info: $0, payload: $1.copiedToArray())) }
  }
  return frames
}

@Suite struct VP8CodecTests {
  @Test func decodesWhatItEncoded() throws {
    var encoder = try VP8Encoder(settings())
    let frames = try encode(0..<30, with: &encoder)
    var decoder = try VP8Decoder()
    var luma: (inside: UInt8, outside: UInt8) = (0, 0)
    for frame in frames {
      try decoder.decode(frame.payload.span.bytes) { view in
        luma = (view.luma(x: 29 * 4 + 32, y: 29 * 2 + 24), view.luma(x: 310, y: 170))
      }
    }
    #expect(frames.count == 30)
    #expect(abs(Int(luma.inside) - 200) < 12)
    #expect(abs(Int(luma.outside) - 60) < 12)
  }

  /// Some 6 kB a macroblock, which libvpx clears for the worst frame that could be.
  @Test(.enabled(if: callocation_count() >= 0, "a sanitizer's allocator has other blocks"))
  func givesUnusedMemoryBack() throws {
    let macroblocks = 120 * 68
    let begin = Self.anonymousBytes()
    let encoder = try VP8Encoder(
      VP8EncoderSettings(width: 1_920, height: 1_080, frameRate: 30, bitrate: .kilobits(4_000)))
    #expect(encoder.releasedBytes > macroblocks * 6_000)
    #expect(Self.anonymousBytes() - begin < 20_000_000)
  }

  /// Bytes of the process in memory that no file backs.
  private static func anonymousBytes() -> Int {
    guard let file = fopen("/proc/self/status", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let fields = text.split(whereSeparator: \.isWhitespace)
      if fields.first == "RssAnon:", fields.count > 1 { return (Int(fields[1]) ?? 0) * 1_024 }
    }
    return 0
  }

  @Test func encodesWithSeveralThreads() throws {
    var encoder = try VP8Encoder(
      VP8EncoderSettings(width: 1_280, height: 720, frameRate: 30, bitrate: .kilobits(1_000), threads: 2))
    var decoder = try VP8Decoder()
    var image = I420Buffer(width: 1_280, height: 720)
    var decoded = 0
    for index in 0..<20 {
      image.fill(FrameArea(x: index * 16, y: 200, width: 200, height: 300), with: YUVColour(y: 200))
      try encoder.encode(image.view, at: timestamp(index), duration: .milliseconds(33)) { _, payload in
        if (try? decoder.decode(payload, { _ in })) == true { decoded += 1 }
      }
    }
    #expect(decoded >= 10)
  }

  @Test func beginsWithAKeyFrameAndForcesOneOnRequest() throws {
    var encoder = try VP8Encoder(settings())
    let frames = try encode(0..<20, with: &encoder, forced: [7])
    #expect(frames.indices.filter { frames[$0].info.isKeyFrame } == [0, 7])
  }

  @Test func boundsTheDistanceOfKeyFramesByTime() throws {
    var encoder = try VP8Encoder(settings(keyFrames: .milliseconds(500)))
    let frames = try encode(0..<45, with: &encoder)
    // 500 ms are 15 pictures and the rounding of 33.3 ms.
    #expect(frames.indices.filter { frames[$0].info.isKeyFrame } == [0, 16, 32])
  }

  @Test(arguments: [(2, [0, 1, 0, 1, 0, 1, 0, 1]), (3, [0, 2, 1, 2, 0, 2, 1, 2])])
  func alternatesTemporalLayers(layers: Int, expected: [UInt8]) throws {
    var encoder = try VP8Encoder(settings(layers: layers))
    let frames = try encode(0..<8, with: &encoder)
    #expect(frames.map(\.info.temporalLayer) == expected)
    let highest = UInt8(layers - 1)
    #expect(frames.allSatisfy { $0.info.isDiscardable == ($0.info.temporalLayer == highest) })
  }

  @Test(arguments: [2, 3], [0, 1])
  func decodesLowerLayersAlone(layers: Int, highestLayer: UInt8) throws {
    var encoder = try VP8Encoder(settings(layers: layers))
    let frames = try encode(0..<41, with: &encoder, forced: [13])
    var whole = try VP8Decoder()
    var partial = try VP8Decoder()
    var checked = 0
    for frame in frames {
      let (all, _) = try decodedSums(frame.payload, with: &whole)
      guard frame.info.temporalLayer <= highestLayer else { continue }
      let (some, _) = try decodedSums(frame.payload, with: &partial)
      #expect(all == some)
      checked += 1
    }
    #expect(checked >= frames.count / 4)
  }

  /// Each prefix of the layers keeps to the share of the rate that it was given.
  @Test(arguments: [(2, [0.6, 1]), (3, [0.4, 0.6, 1])], [200, 600])
  func keepsTheRateOfEachLayer(layers: (count: Int, shares: [Double]), kilobits: Int) throws {
    var encoder = try VP8Encoder(settings(bitrate: .kilobits(kilobits), layers: layers.count))
    let noise = Self.noise(count: 8_192)
    var picture = I420Buffer(width: 320, height: 180)
    var bytes = [Int](repeating: 0, count: layers.count)
    for index in 0..<450 {
      drawGrain(noise, index, into: &picture)
      try encoder.encode(picture.view, at: timestamp(index), duration: .milliseconds(33)) { info, payload in
        if index >= 90 { bytes[Int(info.temporalLayer)] += payload.byteCount }
      }
    }
    for layer in 0..<layers.count {
      let rate = Double(bytes[...layer].reduce(0, +)) * 8 / 12
      let wanted = Double(kilobits) * 1_000 * layers.shares[layer]
      #expect(abs(rate / wanted - 1) < 0.15, "layers up to \(layer): \(Int(rate / 1_000)) kbit/s")
    }
  }

  /// A decoder that joins a layer at one of these pictures needs no earlier picture of that layer.
  @Test(arguments: [2, 3]) func decodesFromLayerSyncOn(layers: Int) throws {
    var encoder = try VP8Encoder(settings(layers: layers))
    let frames = try encode(0..<41, with: &encoder)
    for target in 1..<UInt8(layers) {
      let join = try #require(
        frames.indices.first { $0 > 10 && frames[$0].info.temporalLayer == target && frames[$0].info.isLayerSync })
      var whole = try VP8Decoder()
      var joining = try VP8Decoder()
      for (index, frame) in frames.enumerated() {
        let (all, _) = try decodedSums(frame.payload, with: &whole)
        guard frame.info.temporalLayer < target || frame.info.temporalLayer == target && index >= join else { continue }
        let (some, _) = try decodedSums(frame.payload, with: &joining)
        #expect(all == some)
      }
    }
  }

  @Test func changesSpeedAndRateWhileRunning() throws {
    var encoder = try VP8Encoder(settings(layers: 2))
    var frames: [Frame] = []
    for round in 0..<6 {
      try encoder.setSpeed(-8 - round)
      try encoder.setBitrate(.kilobits(200 + 50 * round))
      frames += try encode(round * 10..<round * 10 + 10, with: &encoder)
    }
    #expect(frames.count == 60)
    #expect(frames.indices.filter { frames[$0].info.isKeyFrame } == [0])
    var decoder = try VP8Decoder()
    for frame in frames { #expect(try decoder.decode(frame.payload.span.bytes) { _ in }) }
  }

  @Test func bringsNoKeyFrameByItselfWithoutAnInterval() throws {
    var still = settings()
    still.maximumKeyFrameInterval = nil
    var encoder = try VP8Encoder(still)
    let frames = try encode(0..<300, with: &encoder)
    #expect(frames.indices.filter { frames[$0].info.isKeyFrame } == [0])
  }

  private func decodedSums(_ frame: [UInt8], with decoder: inout VP8Decoder) throws -> (Int, Bool) {
    var sum = 0
    let isShown = try decoder.decode(frame.span.bytes) { view in
      for y in 0..<view.height {
        for x in 0..<view.width { sum = sum &* 31 &+ Int(view.luma(x: x, y: y)) }
      }
    }
    return (sum, isShown)
  }

  @Test func followsAChangedRate() throws {
    var encoder = try VP8Encoder(settings(bitrate: .kilobits(600)))
    var seed: UInt32 = 1
    func bytes(_ range: Range<Int>, _ encoder: inout VP8Encoder) throws -> Int {
      var picture = I420Buffer(width: 320, height: 180)
      var total = 0
      for index in range {
        drawNoise(&seed, into: &picture)
        try encoder.encode(picture.view, at: timestamp(index), duration: .milliseconds(33)) { total += $1.byteCount }
      }
      return total
    }
    let high = try bytes(0..<90, &encoder)
    try encoder.setBitrate(.kilobits(150))
    _ = try bytes(90..<120, &encoder)
    let low = try bytes(120..<210, &encoder)
    #expect(encoder.bitrate == .kilobits(150))
    #expect(low * 2 < high)
  }

  /// Grey with a grain.
  private static func noise(count: Int) -> [UInt8] {
    var seed: UInt32 = 1
    return (0..<count).map { _ in
      seed = seed &* 1_664_525 &+ 1_013_904_223
      return 100 + UInt8(seed >> 27)
    }
  }

  /// Takes each row from another place of the noise.
  private func drawGrain(_ noise: [UInt8], _ index: Int, into picture: inout I420Buffer) {
    let (width, height, stride) = (picture.width, picture.height, picture.yStride)
    noise.withUnsafeBufferPointer { noise in
      picture.withUnsafeMutablePlanes { y, _, _ in
        for row in 0..<height {
          let start = (index * 997 + row * 331) % (noise.count - width)
          (y + row * stride).update(from: noise.baseAddress! + start, count: width)
        }
      }
    }
  }

  /// Noise of few levels in blocks, which costs bits in every picture.
  private func drawNoise(_ seed: inout UInt32, into picture: inout I420Buffer) {
    for y in stride(from: 0, to: 180, by: 12) {
      for x in stride(from: 0, to: 320, by: 16) {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        picture.fill(FrameArea(x: x, y: y, width: 16, height: 12), with: YUVColour(y: 100 + UInt8(seed >> 27)))
      }
    }
  }

  @Test func takesTimestampsThatStandStill() throws {
    var encoder = try VP8Encoder(settings())
    var picture = I420Buffer(width: 320, height: 180)
    var count = 0
    for index in 0..<5 {
      draw(index, into: &picture)
      try encoder.encode(picture.view, at: timestamp(0), duration: .milliseconds(33)) { _, _ in count += 1 }
    }
    #expect(count == 5)
  }

  @Test func namesTheFailingCall() throws {
    var failure: VPXError?
    var impossible = settings()
    impossible.width = 20_000
    do { _ = try VP8Encoder(impossible) } catch { failure = error }
    #expect(failure?.call == "vpx_codec_enc_init")
  }

  @Test func refusesGarbage() throws {
    var decoder = try VP8Decoder()
    let garbage: [UInt8] = [0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    var failure: VPXError?
    do { try decoder.decode(garbage.span.bytes) { _ in } } catch { failure = error }
    #expect(failure?.call == "vpx_codec_decode")
  }
}
