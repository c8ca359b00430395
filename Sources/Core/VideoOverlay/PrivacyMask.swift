public import MediaCore

/// What must stay hidden in frames of one size: polygons, as runs of samples that are made once.
///
/// Covering a frame then costs the same each time, and allocates nothing.
public struct PrivacyMask: Sendable {
  /// Pixels of the frames.
  public let width: Int
  /// See ``width``.
  public let height: Int
  private let luma: [Run]
  private let chroma: [Run]

  /// Samples of a plane, one beside the other.
  private struct Run {
    var row: Int
    var left: Int
    var count: Int
  }

  /// Black: it is no part of any scene, and costs an encoder next to nothing.
  public static let colour = YUVColour(y: 16)

  /// - Parameter areas: every sample that one of these touches is covered, and the chroma of each block of two by two
  ///   samples of which one is.
  public init(_ areas: [FramePolygon], width: Int, height: Int) {
    precondition(width > 0 && height > 0)
    let polygons = areas.map { PolygonRows($0, width: width, height: height) }
    let rows = (0..<height).map { row in
      Self.joined(polygons.flatMap { $0.ranges(inRow: row) }, limit: width)
    }
    self.width = width
    self.height = height
    luma = rows.enumerated().flatMap { row, ranges in Self.runs(ranges, row) }
    chroma = (0..<(height + 1) / 2).flatMap { row in
      let both = rows[row * 2] + (row * 2 + 1 < height ? rows[row * 2 + 1] : [])
      let blocks = both.map { $0.lowerBound / 2..<($0.upperBound + 1) / 2 }
      return Self.runs(Self.joined(blocks, limit: (width + 1) / 2), row)
    }
  }

  /// Whether nothing is covered.
  public var isEmpty: Bool { luma.isEmpty }

  /// Covers a frame of the mask's size.
  public func cover(_ frame: inout I420Buffer) {
    precondition(frame.width == width && frame.height == height)
    let (lumaStride, chromaStride) = (frame.yStride, frame.chromaStride)
    unsafe frame.withUnsafeMutablePlanes { y, u, v in
      for index in luma.indices {
        let run = luma[index]
        unsafe (y + run.row * lumaStride + run.left).update(repeating: Self.colour.y, count: run.count)
      }
      for index in chroma.indices {
        let run = chroma[index]
        let offset = run.row * chromaStride + run.left
        unsafe (u + offset).update(repeating: Self.colour.u, count: run.count)
        unsafe (v + offset).update(repeating: Self.colour.v, count: run.count)
      }
    }
  }

  /// The ranges in order, without those that overlap or touch, cut at `limit`.
  private static func joined(_ ranges: [Range<Int>], limit: Int) -> [Range<Int>] {
    let sorted = ranges.map { $0.clamped(to: 0..<limit) }.filter { !$0.isEmpty }.sorted {
      $0.lowerBound < $1.lowerBound
    }
    return sorted.reduce(into: []) { joined, range in
      guard let last = joined.last, range.lowerBound <= last.upperBound else { return joined.append(range) }
      joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }
  }

  private static func runs(_ ranges: [Range<Int>], _ row: Int) -> [Run] {
    ranges.map { Run(row: row, left: $0.lowerBound, count: $0.count) }
  }
}
