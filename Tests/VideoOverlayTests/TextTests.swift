import CTestSupport
import MediaCore
import VideoOverlay
import Testing

@Suite struct TextTests {
  /// The box's luma as text, `#` for ink.
  private func art(_ box: TextBox) -> [String] {
    var picture = I420Buffer(width: box.width, height: box.height)
    box.draw(into: &picture, x: 0, y: 0)
    let view = picture.view
    return (0..<box.height).map { y in
      String((0..<box.width).map { x in view.luma(x: x, y: y) > 128 ? "#" : "." })
    }
  }

  @Test func aLineLooksAsItIsWritten() {
    var box = TextBox(columns: 3, lines: 1, scale: 1)
    let text = [UInt8(ascii: "A"), BitmapFont.degree]
    box.write(text.span, line: 0)
    #expect(
      art(box) == [
        "....................",
        "..###...##..........",
        ".#...#.#..#.........",
        ".#...#.#..#.........",
        ".#####..##..........",
        ".#...#..............",
        ".#...#..............",
        ".#...#..............",
        "....................",
        "....................",
      ])
  }

  @Test func eachSampleOfTheFontIsASquare() {
    var (one, two) = (TextBox(columns: 4, lines: 2, scale: 1), TextBox(columns: 4, lines: 2, scale: 2))
    let text = Array("gj@~".utf8)
    one.write(text.span, line: 1)
    two.write(text.span, line: 1)
    let (small, large) = (art(one), art(two))
    for (y, row) in large.enumerated() {
      for (x, character) in row.enumerated() where x / 2 < small[0].count {
        let other = small[y / 2]
        #expect(character == other[other.index(other.startIndex, offsetBy: x / 2)])
      }
    }
  }

  @Test func everyCharacterLooksLikeNoOther() {
    var seen: Set<[String]> = []
    for code in UInt8(0x20)...0x7F {
      var box = TextBox(columns: 1, lines: 1, scale: 1)
      let text = [code]
      box.write(text.span, line: 0)
      #expect(seen.insert(art(box)).inserted, "code \(code)")
    }
    #expect(BitmapFont.code(of: "°") == BitmapFont.degree)
    #expect(BitmapFont.code(of: "~") == 0x7E)
    #expect(BitmapFont.code(of: "ü") == nil)
    #expect(BitmapFont.code(of: "\u{7F}") == nil)
  }

  @Test func aNewTextLeavesNothingOfTheOldOne() {
    var (changed, fresh) = (TextBox(columns: 8, lines: 1, scale: 2), TextBox(columns: 8, lines: 1, scale: 2))
    let (long, short) = (Array("WWWWWWWWWW".utf8), Array("i".utf8))
    changed.write(long.span, line: 0)
    changed.write(short.span, line: 0)
    fresh.write(short.span, line: 0)
    #expect(art(changed) == art(fresh))
  }

  @Test func aBoxChangesWhatItCoversAndNothingElse() {
    var picture = I420Buffer(width: 61, height: 41)
    picture.fill(FrameArea(x: 0, y: 0, width: 61, height: 41), with: YUVColour(y: 150, u: 60, v: 70))
    let box = TextBox(columns: 3, lines: 1, scale: 1)
    box.draw(into: &picture, x: 10, y: 20)
    let view = picture.view
    for y in 0..<41 {
      for x in 0..<61 {
        let isIn = (10..<10 + box.width).contains(x) && (20..<20 + box.height).contains(y)
        #expect((view.luma(x: x, y: y) == 150) != isIn)
        let chroma = view.u.unsafeLoad(fromByteOffset: y / 2 * view.chromaStride + x / 2, as: UInt8.self)
        #expect((chroma == 60) != isIn)
      }
    }
  }

  @Test(arguments: OverlayCorner.allCases, TextSize.allCases)
  func aPlaceIsInsideThePicture(corner: OverlayCorner, size: TextSize) {
    for (width, height) in [(64, 64), (65, 49), (160, 120), (640, 480), (641, 481), (1920, 1080)] {
      for columns in [1, 26, 64] {
        guard
          let place = TextPlacement(
            columns: columns, lines: 3, size: size, corner: corner, frameWidth: width, frameHeight: height)
        else {
          Issue.record("no place in \(width)×\(height)")
          continue
        }
        var picture = I420Buffer(width: width, height: height)
        // Traps where it does not fit.
        TextBox(columns: place.columns, lines: 3, scale: place.scale).draw(into: &picture, x: place.x, y: place.y)
        #expect(place.columns <= columns)
        if width > 200, columns == 1 {
          #expect((place.x == 0) == (corner == .topLeft || corner == .bottomLeft))
          #expect((place.y == 0) == (corner == .topLeft || corner == .topRight))
        }
      }
    }
  }

  @Test func aPictureThatIsTooSmallHasNoPlace() {
    #expect(
      TextPlacement(columns: 5, lines: 3, size: .small, corner: .topLeft, frameWidth: 64, frameHeight: 20) == nil)
  }

  @Test func timesAreISO8601() {
    var text: [UInt8] = []
    StampedTime(
      year: 2026, month: 3, day: 5, hour: 4, minute: 7, second: 9, offsetMinutes: -210, isTrusted: true
    ).append(to: &text)
    #expect(String(decoding: text, as: UTF8.self) == "2026-03-05 04:07:09-03:30")
    text = []
    StampedTime(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offsetMinutes: 60, isTrusted: false)
      .append(to: &text)
    #expect(String(decoding: text, as: UTF8.self) == "1970-01-01 00:00:00+01:00?")
    #expect(text.count == StampedTime.longest)
  }

  private func position(_ latitude: Double, _ longitude: Double) -> String {
    let text = StampedPosition(latitude: latitude, longitude: longitude).text
    #expect(text.count <= StampedPosition.longest)
    return String(decoding: text.map { $0 == BitmapFont.degree ? UInt8(ascii: "d") : $0 }, as: UTF8.self)
  }

  @Test func positionsHaveFiveDigits() {
    #expect(position(52.5163, 13.3777) == "52.51630d N 13.37770d E")
    #expect(position(-0.00001, -179.999996) == "0.00001d S 180.00000d W")
    #expect(position(-.infinity, .infinity) == "90.00000d S 180.00000d E")
  }

  @Test(.enabled(if: callocation_count() >= 0)) func writingAndDrawingAllocateNothing() {
    var box = TextBox(columns: 26, lines: 2, scale: 2)
    var picture = I420Buffer(width: 640, height: 480)
    var text: [UInt8] = []
    text.reserveCapacity(StampedTime.longest)
    func show(_ second: Int) {
      text.removeAll(keepingCapacity: true)
      StampedTime(
        year: 2026, month: 3, day: 5, hour: 4, minute: second / 60, second: second % 60, offsetMinutes: 60,
        isTrusted: true
      ).append(to: &text)
      box.write(text.span, line: 1)
      box.draw(into: &picture, x: 0, y: 0)
    }
    show(0)
    let before = callocation_count()
    for second in 1..<100 { show(second) }
    #expect(callocation_count() == before)
  }
}
