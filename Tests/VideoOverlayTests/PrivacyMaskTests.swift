import CTestSupport
import MediaCore
import VideoOverlay
import Testing

@Suite struct PrivacyMaskTests {
  private static func polygon(_ corners: (Double, Double)...) -> FramePolygon {
    FramePolygon(corners: corners.map { FramePolygon.Point(x: $0.0, y: $0.1) })!
  }

  /// What one picture looks like after it was covered: luma and both chromas of each sample.
  private struct Covered {
    let width: Int
    let height: Int
    private var luma: [Bool] = []
    private var chroma: [Bool] = []

    /// Every sample of the picture before is one that no mask has.
    init(_ areas: [FramePolygon], width: Int, height: Int) {
      (self.width, self.height) = (width, height)
      var picture = I420Buffer(width: width, height: height)
      picture.fill(FrameArea(x: 0, y: 0, width: width, height: height), with: YUVColour(y: 200, u: 60, v: 70))
      PrivacyMask(areas, width: width, height: height).cover(&picture)
      let view = picture.view
      for y in 0..<height {
        for x in 0..<width {
          luma.append(Self.isCovered(view.luma(x: x, y: y), 16, 200))
          let offset = y / 2 * view.chromaStride + x / 2
          let u = Self.isCovered(view.u.unsafeLoad(fromByteOffset: offset, as: UInt8.self), 128, 60)
          let v = Self.isCovered(view.v.unsafeLoad(fromByteOffset: offset, as: UInt8.self), 128, 70)
          #expect(u == v)
          chroma.append(u)
        }
      }
    }

    private static func isCovered(_ sample: UInt8, _ covered: UInt8, _ before: UInt8) -> Bool {
      #expect(sample == covered || sample == before)
      return sample == covered
    }

    func luma(_ x: Int, _ y: Int) -> Bool { luma[y * width + x] }
    func chroma(_ x: Int, _ y: Int) -> Bool { chroma[y * width + x] }

    /// A block of chroma is covered if any of its samples of luma is, and no other block.
    func checkChroma() {
      for y in 0..<height {
        for x in 0..<width {
          let rows = y / 2 * 2..<min(y / 2 * 2 + 2, height)
          let columns = x / 2 * 2..<min(x / 2 * 2 + 2, width)
          let expected = rows.contains { row in columns.contains { luma($0, row) } }
          #expect(chroma(x, y) == expected, "chroma of (\(x), \(y))")
        }
      }
    }
  }

  /// Whether a polygon has any of the points of a fine grid within a rectangle of samples.
  private static func touches(
    _ polygon: FramePolygon, _ x: ClosedRange<Double>, _ y: ClosedRange<Double>, _ size: (Int, Int)
  ) -> Bool {
    let steps = 10
    for row in 0...steps {
      for column in 0...steps {
        let point = FramePolygon.Point(
          x: (x.lowerBound + (x.upperBound - x.lowerBound) * Double(column) / Double(steps)) / Double(size.0),
          y: (y.lowerBound + (y.upperBound - y.lowerBound) * Double(row) / Double(steps)) / Double(size.1))
        if polygon.contains(point) { return true }
      }
    }
    return false
  }

  @Test(arguments: [(40, 30), (41, 31)])
  func everySampleThatIsTouchedIsCoveredAndNoOther(width: Int, height: Int) {
    let areas = [
      Self.polygon((0.11, 0.13), (0.52, 0.21), (0.37, 0.83)),
      Self.polygon((0.6, 0.1), (0.95, 0.4), (0.7, 0.35), (0.65, 0.9)),
      Self.polygon((0, 0.9), (1, 0.93), (1, 0.97), (0, 0.95)),
    ]
    let covered = Covered(areas, width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let (column, row) = (Double(x), Double(y))
        let isInside = areas.contains {
          Self.touches($0, column + 0.01...column + 0.99, row + 0.01...row + 0.99, (width, height))
        }
        if isInside { #expect(covered.luma(x, y), "(\(x), \(y)) is touched") }
        guard covered.luma(x, y) else { continue }
        // A corner may be thinner than the grid: what is covered has something of a polygon close by.
        let isNear = areas.contains {
          Self.touches($0, column - 0.25...column + 1.25, row - 0.25...row + 1.25, (width, height))
        }
        #expect(isNear, "(\(x), \(y)) is not touched")
      }
    }
    covered.checkChroma()
  }

  @Test func aRectangleOnWholeSamplesIsExact() {
    let covered = Covered([Self.polygon((0.25, 0.1), (0.7, 0.1), (0.7, 0.5), (0.25, 0.5))], width: 40, height: 30)
    for y in 0..<30 {
      for x in 0..<40 { #expect(covered.luma(x, y) == ((10..<28).contains(x) && (3..<15).contains(y)), "(\(x), \(y))") }
    }
    covered.checkChroma()
  }

  @Test func theWholeFrame() {
    let covered = Covered([Self.polygon((0, 0), (1, 0), (1, 1), (0, 1))], width: 17, height: 9)
    for y in 0..<9 {
      for x in 0..<17 { #expect(covered.luma(x, y) && covered.chroma(x, y)) }
    }
  }

  @Test func aStarHasNoHole() {
    let star = Self.polygon((0.5, 0.0), (0.8, 1.0), (0.0, 0.4), (1.0, 0.4), (0.2, 1.0))
    #expect(!star.contains(FramePolygon.Point(x: 0.5, y: 0.5)))
    let covered = Covered([star], width: 40, height: 40)
    #expect(covered.luma(20, 20) && covered.luma(20, 1))
    #expect(!covered.luma(1, 1) && !covered.luma(20, 39))
  }

  @Test func aPolygonWithoutAreaCoversWhatItPassesThrough() {
    let covered = Covered([Self.polygon((0.0, 0.52), (1.0, 0.52), (0.5, 0.52))], width: 20, height: 20)
    for y in 0..<20 {
      for x in 0..<20 { #expect(covered.luma(x, y) == (y == 10)) }
    }
  }

  @Test func nothingIsCoveredWithoutAreas() {
    #expect(PrivacyMask([], width: 20, height: 20).isEmpty)
    let covered = Covered([], width: 20, height: 20)
    #expect((0..<20).allSatisfy { x in (0..<20).allSatisfy { !covered.luma(x, $0) } })
  }

  @Test(.enabled(if: callocation_count() >= 0)) func coveringAllocatesNothing() {
    let mask = PrivacyMask([Self.polygon((0.1, 0.1), (0.9, 0.2), (0.5, 0.9))], width: 320, height: 180)
    var picture = I420Buffer(width: 320, height: 180)
    mask.cover(&picture)
    let before = callocation_count()
    for _ in 0..<100 { mask.cover(&picture) }
    #expect(callocation_count() == before)
  }
}
