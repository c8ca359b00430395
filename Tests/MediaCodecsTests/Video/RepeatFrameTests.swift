import MediaCore
import Testing
import MediaCodecs

private let (width, height) = (200, 120)

/// A frame with texture and a block that moves with `index`.
private func draw(_ index: Int, into frame: inout I420Buffer) {
  let stride = frame.yStride
  frame.withUnsafeMutablePlanes { y, _, _ in
    for row in 0..<height {
      for column in 0..<width { y[row * stride + column] = UInt8(60 + (column * 7 + row * row * 3) % 90) }
    }
  }
  frame.fill(
    FrameArea(x: index * 6 % 160, y: index * 3 % 90, width: 40, height: 30), with: YUVColour(y: 200, u: 90, v: 160))
}

/// All samples that a decoder shows.
private func samples(_ payload: [UInt8], _ decoder: inout VP8Decoder) throws -> [UInt8] {
  var samples: [UInt8] = []
  try decoder.decode(payload.span.bytes) { view in
    for row in 0..<view.height {
      samples += (0..<view.width).map { view.luma(x: $0, y: row) }
    }
    for (plane, rows) in [(view.u.copiedToArray(), view.height / 2), (view.v.copiedToArray(), view.height / 2)] {
      for row in 0..<rows { samples += plane[row * view.chromaStride..<row * view.chromaStride + view.width / 2] }
    }
  }
  return samples
}

/// An encoder with what it delivered.
private struct Stream: ~Copyable {
  var encoder: VP8Encoder
  var payload: [UInt8] = []
  var info: VP8FrameInfo?
  private var index: Int64 = 0

  init(layers: Int) throws {
    var settings = VP8EncoderSettings(
      width: width, height: height, frameRate: 30, bitrate: .kilobits(400), temporalLayers: layers,
      maximumKeyFrameInterval: nil, dropsFrames: false)
    settings.repeatsFrames = true
    encoder = try VP8Encoder(settings)
  }

  mutating func encode(_ picture: Int, forcesKeyFrame: Bool = false) throws {
    var frame = I420Buffer(width: width, height: height)
    draw(picture, into: &frame)
    index += 1
    var found: (VP8FrameInfo, [UInt8])?
    try encoder.encode(
      frame.view, at: MonotonicInstant(nanoseconds: index * 33_333_333), duration: .milliseconds(33),
      forcesKeyFrame: forcesKeyFrame
    ) { found = ($0, $1.copiedToArray()) }
    take(found)
  }

  mutating func repeatFrame() -> Bool {
    index += 1
    var found: (VP8FrameInfo, [UInt8])?
    let isRepeated = encoder.repeatFrame { found = ($0, $1.copiedToArray()) }
    take(found)
    return isRepeated
  }

  private mutating func take(_ found: (VP8FrameInfo, [UInt8])?) {
    guard let found else { return }
    (info, payload) = found
  }
}

@Suite struct RepeatFrameTests {
  /// A decoder that saw the repeated frames goes on as one that did not.
  @Test(arguments: 1...3) func showsTheLastBaseFrameAgainAndChangesNothing(layers: Int) throws {
    var stream = try Stream(layers: layers)
    var all = try VP8Decoder()
    var without = try VP8Decoder()
    var base: [UInt8] = []
    var repeated = 0
    for picture in 0..<60 {
      try stream.encode(picture, forcesKeyFrame: picture == 31)
      let shown = try samples(stream.payload, &all)
      let same = try samples(stream.payload, &without)
      #expect(same == shown)
      if stream.info?.temporalLayer == 0 { base = shown }
      guard picture % 5 != 2 else { continue }
      for _ in 0..<picture % 4 where stream.repeatFrame() {
        let again = try samples(stream.payload, &all)
        #expect(again == base)
        let size = stream.payload.count
        #expect(size < 60)
        repeated += 1
      }
    }
    #expect(repeated >= 60)
  }

  /// So that viewers of each layer get as many frames as ever.
  @Test func hasItsPlaceAmongTheLayersAndIsReferredToByNone() throws {
    var stream = try Stream(layers: 3)
    let isTooEarly = !stream.repeatFrame()
    #expect(isTooEarly)
    try stream.encode(0)
    var layers: [UInt8] = []
    for _ in 0..<8 {
      let isReference = stream.encoder.isReferenceNext
      let isRepeated = stream.repeatFrame()
      #expect(isRepeated)
      let found = stream.info
      let info = try #require(found)
      #expect(info.isDiscardable && !info.isKeyFrame)
      #expect(info.isLayerSync == (info.temporalLayer > 0) && isReference == (info.temporalLayer == 0))
      layers.append(info.temporalLayer)
    }
    #expect(layers == [2, 1, 2, 0, 2, 1, 2, 0])
  }

  @Test func anEncoderThatIsNotToRepeatDoesNot() throws {
    var encoder = try VP8Encoder(VP8EncoderSettings(width: 64, height: 64, frameRate: 30, bitrate: .kilobits(100)))
    let frame = I420Buffer(width: 64, height: 64)
    try encoder.encode(frame.view, at: MonotonicInstant(nanoseconds: 1), duration: .milliseconds(33)) { _, _ in }
    let isRepeated = encoder.repeatFrame { _, _ in }
    #expect(!isRepeated)
  }

  /// Whatever is repeated: a decoder of some layers shows what one of all of them shows, and a layer begins after any
  /// frame of the base.
  @Test(arguments: [(2, UInt8(0)), (3, 0), (3, 1)])
  func lowerLayersDecodeAlone(layers: Int, highest: UInt8) throws {
    var stream = try Stream(layers: layers)
    var whole = try VP8Decoder()
    var some = try VP8Decoder()
    var late = try VP8Decoder()
    var hasBase = false
    for picture in 0..<80 {
      // Of three layers the middle one is left out now and then, of which the golden reference is made.
      if picture % 7 == 2 || picture % 3 == 1 {
        _ = stream.repeatFrame()
      } else {
        try stream.encode(picture)
      }
      let layer = stream.info?.temporalLayer ?? 0
      let shown = try samples(stream.payload, &whole)
      if layer <= highest {
        let alone = try samples(stream.payload, &some)
        #expect(alone == shown)
      }
      // All layers from the second half on, after the base alone.
      if layer == 0, picture >= 40 { hasBase = true }
      guard layer == 0 || hasBase else { continue }
      let joined = try samples(stream.payload, &late)
      #expect(joined == shown)
    }
  }

  /// What the map leaves out stays as it was shown, but for the filter at the edges of blocks.
  @Test func encodesActiveBlocksAlone() throws {
    var stream = try Stream(layers: 1)
    var decoder = try VP8Decoder()
    try stream.encode(0)
    let before = try samples(stream.payload, &decoder)
    let (columns, rows) = ((width + 15) / 16, (height + 15) / 16)
    try stream.encoder.setActiveMap([UInt8](repeating: 0, count: columns * rows).span)
    try stream.encode(20)
    let after = try samples(stream.payload, &decoder)
    #expect(zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= 12 })
    try stream.encoder.setActiveMap(nil)
    var moved = after
    for _ in 0..<4 {
      try stream.encode(20)
      moved = try samples(stream.payload, &decoder)
    }
    #expect(zip(before, moved).contains { abs(Int($0) - Int($1)) > 60 })
  }

  @Test func keepsToTheQuantizersAskedFor() throws {
    var stream = try Stream(layers: 1)
    try stream.encoder.setQuantizers(30...31)
    for picture in 0..<5 {
      try stream.encode(picture)
      let quantizer = try stream.encoder.lastQuantizer()
      #expect((30...31).contains(quantizer))
    }
  }
}
