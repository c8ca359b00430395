import MediaCore
import Testing
import MediaFiles

private func header(_ line: String) throws(Y4MError) -> Y4MHeader {
  try Y4MHeader(parsing: Array((line + "\nFRAME\n").utf8).span.bytes)
}

private func failure(_ line: String) -> Y4MError? {
  do {
    _ = try header(line)
    return nil
  } catch {
    return error
  }
}

@Suite struct Y4MHeaderTests {
  @Test func readsWhatFFmpegWrites() throws {
    let line = "YUV4MPEG2 W641 H479 F30000:1001 Ip A1:1 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED"
    let header = try header(line)
    #expect(header.width == 641 && header.height == 479)
    #expect(header.frameRate?.numerator == 30_000 && header.frameRate?.denominator == 1_001)
    #expect(header.layout == .planar420)
    #expect(header.byteCount == line.utf8.count + 1)
    #expect(header.frameByteCount == 641 * 479 + 2 * 321 * 240)
  }

  @Test(arguments: ["", " C420", " C420jpeg", " C420mpeg2", " C420paldv"])
  func takesEveryVariantOf420(colourSpace: String) throws {
    #expect(try header("YUV4MPEG2 W4 H2 F25:1\(colourSpace)").frameByteCount == 12)
  }

  @Test func takesMono() throws {
    let header = try header("YUV4MPEG2 W4 H2 F25:1 Cmono")
    #expect(header.layout == .mono)
    #expect(header.frameByteCount == 8)
  }

  @Test func reducesTheRate() throws {
    let rate = try header("YUV4MPEG2 W4 H2 F50:2").frameRate
    #expect(rate?.numerator == 25 && rate?.denominator == 1)
    #expect(try header("YUV4MPEG2 W4 H2 F0:0").frameRate == nil)
    #expect(try header("YUV4MPEG2 W4 H2").frameRate == nil)
  }

  @Test func ignoresInterlacingAndUnknownFields() throws {
    #expect(try header("YUV4MPEG2  W4 H2 It Z9  XANYTHING=1 ").width == 4)
  }

  @Test(arguments: ["422", "444", "411", "420p10", "mono16", "444alpha", ""])
  func refusesOtherColourSpacesByName(name: String) {
    #expect(failure("YUV4MPEG2 W4 H2 C\(name)") == .unsupportedColourSpace(name, offset: 16))
  }

  @Test func namesTheFieldAndItsByte() {
    let size = "a size from 1 to 4096"
    #expect(failure("YUV4MPEG2 W4 Hx2") == .badField("H", value: "x2", offset: 13, expected: size))
    #expect(failure("YUV4MPEG2 W0 H2") == .badField("W", value: "0", offset: 10, expected: size))
    #expect(failure("YUV4MPEG2 W4097 H2") == .badField("W", value: "4097", offset: 10, expected: size))
    #expect(failure("YUV4MPEG2 W99999999999999999999 H2") != nil)
    #expect(
      failure("YUV4MPEG2 W4 H2 F30") == .badField("F", value: "30", offset: 16, expected: "a fraction such as 30:1"))
    for rate in ["0:1", "1:0", "1:11", "241:1", "9999999:1"] {
      #expect(
        failure("YUV4MPEG2 W4 H2 F\(rate)")
          == .badField("F", value: rate, offset: 16, expected: "a rate from 1:10 to 240:1"))
    }
    #expect(failure("YUV4MPEG2 W4") == .missingField("H"))
    #expect(failure("YUV4MPEG2 H4") == .missingField("W"))
  }

  @Test func refusesOtherFiles() {
    for line in ["", "RIFF", "YUV4MPEG2x W4 H2", "YUV4MPEG W4 H2"] { #expect(failure(line) == .notYUV4MPEG2) }
  }

  @Test func boundsTheLine() {
    let long = "YUV4MPEG2 W4 H2 X" + String(repeating: "a", count: 2_000)
    #expect(failure(long) == .endlessLine(offset: Y4MHeader.maximumByteCount))
    #expect(throws: Y4MError.endlessLine(offset: 15)) {
      try Y4MHeader(parsing: Array("YUV4MPEG2 W4 H2".utf8).span.bytes)
    }
  }
}

@Suite struct Y4MFrameHeaderTests {
  private func byteCount(_ text: String) throws(Y4MError) -> Int {
    try Y4MFrameHeader.byteCount(parsing: Array(text.utf8).span.bytes, at: 100)
  }

  @Test func readsTheLine() throws {
    #expect(try byteCount("FRAME\n\u{10}\u{10}") == 6)
    #expect(try byteCount("FRAME Ixyz XA=B\n") == 16)
  }

  @Test func namesWhereNoFrameBegins() {
    #expect(throws: Y4MError.noFrameLine(offset: 100)) { try byteCount("FRAM") }
    #expect(throws: Y4MError.noFrameLine(offset: 100)) { try byteCount("FRAMES\n") }
    #expect(throws: Y4MError.endlessLine(offset: 107)) { try byteCount("FRAME I") }
    #expect(throws: Y4MError.endlessLine(offset: 356)) { try byteCount("FRAME " + String(repeating: "x", count: 400)) }
  }
}
