public import MediaCore

extension I420Buffer {
  /// Makes one frame of two interlaced fields: each row of luma becomes the mean of itself and the one below, so that
  /// what moves is blurred instead of combed. Allocates nothing.
  public mutating func blendFields() {
    let (width, height, stride) = (width, height, yStride)
    withUnsafeMutablePlanes { y, _, _ in
      for row in 0..<height - 1 { Self.average(y + row * stride, y + (row + 1) * stride, count: width) }
    }
  }

  /// A plain loop, which the compiler turns into vector code.
  private static func average(
    _ row: UnsafeMutablePointer<UInt8>, _ below: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    for column in 0..<count {
      row[column] = UInt8(truncatingIfNeeded: (UInt16(row[column]) &+ UInt16(below[column]) &+ 1) &>> 1)
    }
  }
}
