internal import MediaCore

/// A polygon over the rows of a frame, in fixed point: yields for each row the samples it touches.
///
/// Whatever is touched at all counts, for a mask must not leave the edge of a face. Where edges cross, all that they wind
/// around is inside (the non-zero rule), so that no hole is left in the middle of a star.
struct PolygonRows {
  /// Parts of a sample; corners are rounded to these.
  private static let unit: Int64 = 256

  /// From one corner to the next, downward.
  private struct Edge {
    var top: (x: Int64, y: Int64)
    var bottom: (x: Int64, y: Int64)
    /// 1 where the polygon's outline goes down here, -1 where it goes up.
    var winding: Int

    func x(at y: Int64) -> (floor: Int64, isExact: Bool) {
      let height = bottom.y - top.y
      let (quotient, remainder) = ((y - top.y) * (bottom.x - top.x)).quotientAndRemainder(dividingBy: height)
      return (top.x + quotient - (remainder < 0 ? 1 : 0), remainder == 0)
    }
  }

  private let edges: [Edge]

  init(_ polygon: FramePolygon, width: Int, height: Int) {
    let corners = polygon.corners.map { corner in
      (x: Self.fixed(corner.x, of: width), y: Self.fixed(corner.y, of: height))
    }
    edges = corners.indices.map { index in
      let (from, to) = (corners[index], corners[(index + 1) % corners.count])
      return from.y <= to.y ? Edge(top: from, bottom: to, winding: 1) : Edge(top: to, bottom: from, winding: -1)
    }
  }

  private static func fixed(_ fraction: Double, of length: Int) -> Int64 {
    Int64(saturating: (fraction * Double(length) * Double(unit)).rounded())
  }

  /// The samples that the polygon touches in a row, as ranges that may overlap, in no order.
  func ranges(inRow row: Int) -> [Range<Int>] { outline(row) + interior(row) }

  /// What the edges themselves pass through.
  private func outline(_ row: Int) -> [Range<Int>] {
    let (top, bottom) = (Int64(row) * Self.unit, Int64(row + 1) * Self.unit)
    return edges.compactMap { edge in
      if edge.top.y == edge.bottom.y {
        guard edge.top.y > top, edge.top.y < bottom else { return nil }
        return Self.samples(min(edge.top.x, edge.bottom.x), max(edge.top.x, edge.bottom.x))
      }
      let (begin, end) = (max(edge.top.y, top), min(edge.bottom.y, bottom))
      guard begin < end else { return nil }
      let (first, last) = (edge.x(at: begin), edge.x(at: end))
      return Self.samples(
        min(first.floor, last.floor), max(first.floor + (first.isExact ? 0 : 1), last.floor + (last.isExact ? 0 : 1)))
    }
  }

  /// The inside along the middle of the row.
  private func interior(_ row: Int) -> [Range<Int>] {
    let middle = Int64(row) * Self.unit + Self.unit / 2
    let crossings = edges.filter { $0.top.y <= middle && middle < $0.bottom.y }
      .map { (x: $0.x(at: middle).floor, winding: $0.winding) }.sorted { $0.x < $1.x }
    var (ranges, sum, begin): ([Range<Int>], Int, Int64) = ([], 0, 0)
    for crossing in crossings {
      if sum == 0 { begin = crossing.x }
      sum += crossing.winding
      if sum == 0 { ranges.append(Self.samples(begin, crossing.x)) }
    }
    return ranges
  }

  /// The samples of which any part lies between two places.
  private static func samples(_ left: Int64, _ right: Int64) -> Range<Int> {
    Int(clamping: left / unit)..<Int(clamping: max((right + unit - 1) / unit, left / unit))
  }
}
