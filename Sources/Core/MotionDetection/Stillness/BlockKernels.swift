/// How a block of 16 by 16 samples differs from another, measured in every second row: sums over its four quarters.
///
/// Left above, right above, left below, right below.
struct BlockDifference {
  /// Sums of absolute differences.
  var absolute = SIMD4<Int32>()
  /// Sums of differences.
  var signed = SIMD4<Int32>()
}

/// Sums of what samples are above and below others, by column, over four rows at most.
///
/// Differences beyond ``largest``, which no noise makes, count as that, so that the sums of four fit in a byte. Bytes are
/// compared and added as such, and then summed by one instruction.
private struct ColumnSums {
  private var above = SIMD16<UInt8>()
  private var below = SIMD16<UInt8>()

  private static let largest: UInt8 = 63

  @inline(__always)
  mutating func add(_ new: SIMD16<UInt8>, _ old: SIMD16<UInt8>) {
    // Inlined into single instructions, which pointwiseMax is not.
    let most = new.replacing(with: old, where: new .< old)
    above &+= Self.bounded(most &- old)
    below &+= Self.bounded(most &- new)
  }

  @inline(__always)
  private static func bounded(_ difference: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let largest = SIMD16<UInt8>(repeating: Self.largest)
    return difference.replacing(with: largest, where: difference .> largest)
  }

  /// Writes the sums of the left and of the right half as two quarters.
  @inline(__always)
  func write(to result: inout BlockDifference, left: Int, right: Int) {
    let (more, less) = unsafe (
      unsafeBitCast(above, to: SIMD2<UInt64>.self), unsafeBitCast(below, to: SIMD2<UInt64>.self)
    )
    let (moreLeft, lessLeft) = (Self.sum(more[0]), Self.sum(less[0]))
    let (moreRight, lessRight) = (Self.sum(more[1]), Self.sum(less[1]))
    (result.absolute[left], result.signed[left]) = (moreLeft &+ lessLeft, moreLeft &- lessLeft)
    (result.absolute[right], result.signed[right]) = (moreRight &+ lessRight, moreRight &- lessRight)
  }

  /// Of eight bytes.
  @inline(__always)
  private static func sum(_ bytes: UInt64) -> Int32 {
    let pairs = (bytes & 0x00FF_00FF_00FF_00FF) &+ (bytes &>> 8 & 0x00FF_00FF_00FF_00FF)
    return Int32(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
  }
}

/// Vector code for blocks of samples; every pointer is to the first sample of a block.
enum BlockKernels {
  typealias Samples = UnsafePointer<UInt8>
  typealias MutableSamples = UnsafeMutablePointer<UInt8>
  typealias Sums = UnsafeMutablePointer<UInt16>

  /// Compares 16 columns of two blocks of luma with equal strides.
  ///
  /// - Parameter rows: that the block has, up to 16.
  @inline(__always)
  static func difference(_ new: Samples, _ old: Samples, stride: Int, rows: Int) -> BlockDifference {
    var (upper, lower) = (ColumnSums(), ColumnSums())
    var row = 0
    while row < min(rows, 8) {
      unsafe upper.add(bytes16(new + row &* stride), bytes16(old + row &* stride))
      row &+= 2
    }
    while row < rows {
      unsafe lower.add(bytes16(new + row &* stride), bytes16(old + row &* stride))
      row &+= 2
    }
    var result = BlockDifference()
    upper.write(to: &result, left: 0, right: 1)
    lower.write(to: &result, left: 2, right: 3)
    return result
  }

  /// Compares 8 columns of both chroma planes with equal strides; each plane counts as two quarters.
  @inline(__always)
  static func chromaDifference(
    _ new: (Samples, Samples), _ old: (Samples, Samples), stride: Int, rows: Int
  ) -> BlockDifference {
    var sums = ColumnSums()
    var row = 0
    while row < rows {
      let offset = row &* stride
      unsafe sums.add(
        SIMD16(lowHalf: bytes8(new.0 + offset), highHalf: bytes8(new.1 + offset)),
        SIMD16(lowHalf: bytes8(old.0 + offset), highHalf: bytes8(old.1 + offset)))
      row &+= 2
    }
    var result = BlockDifference()
    sums.write(to: &result, left: 0, right: 1)
    sums.write(to: &result, left: 2, right: 3)
    return result
  }

  /// Copies 16 columns.
  @inline(__always)
  static func copy16(_ new: Samples, to old: MutableSamples, stride: Int, rows: Int) {
    for row in 0..<rows {
      let offset = row * stride
      unsafe UnsafeMutableRawPointer(old + offset).storeBytes(
        of: UnsafeRawPointer(new + offset).loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
    }
  }

  /// Copies 8 columns.
  @inline(__always)
  static func copy8(_ new: Samples, to old: MutableSamples, stride: Int, rows: Int) {
    for row in 0..<rows {
      let offset = row * stride
      unsafe UnsafeMutableRawPointer(old + offset).storeBytes(
        of: UnsafeRawPointer(new + offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
    }
  }

  /// Begins the sums of `columns` (a multiple of 8) with two frames' samples.
  @inline(__always)
  static func begin(_ sums: Sums, _ first: Samples, _ second: Samples, rowStride: Int, rows: Int, columns: Int) {
    for row in 0..<rows {
      var column = 0
      while column < columns {
        let offset = row * rowStride + column
        let sum = unsafe wide8(first + offset) &+ wide8(second + offset)
        unsafe store(SIMD8<UInt16>(truncatingIfNeeded: sum), to: sums + offset)
        column &+= 8
      }
    }
  }

  /// Adds a frame's samples.
  @inline(__always)
  static func add(_ new: Samples, to sums: Sums, rowStride: Int, rows: Int, columns: Int) {
    for row in 0..<rows {
      var column = 0
      while column < columns {
        let offset = row * rowStride + column
        let sum = unsafe load(sums + offset) &+ SIMD8<UInt16>(truncatingIfNeeded: wide8(new + offset))
        unsafe store(sum, to: sums + offset)
        column &+= 8
      }
    }
  }

  /// Replaces a 16th of each sum of 32 samples with a frame's samples.
  @inline(__always)
  static func follow(_ new: Samples, sums: Sums, rowStride: Int, rows: Int, columns: Int) {
    for row in 0..<rows {
      var column = 0
      while column < columns {
        let offset = row * rowStride + column
        let sum = unsafe load(sums + offset)
        let sample = unsafe SIMD8<UInt16>(truncatingIfNeeded: wide8(new + offset))
        let next = sum &- ((sum &+ 8) &>> 4) &+ sample &+ sample
        unsafe store(next, to: sums + offset)
        column &+= 8
      }
    }
  }

  /// Writes the means of `count` (at least 2) samples.
  @inline(__always)
  static func writeMeans(
    of sums: Sums, count: Int, to old: MutableSamples, rowStride: Int, rows: Int, columns: Int
  ) {
    let half = UInt16(truncatingIfNeeded: count / 2)
    let inverse = UInt32(truncatingIfNeeded: (65_536 + count - 1) / count)
    for row in 0..<rows {
      var column = 0
      while column < columns {
        let offset = row * rowStride + column
        let sum = unsafe load(sums + offset) &+ half
        let product = SIMD8<UInt32>(truncatingIfNeeded: sum) &* inverse
        let mean = SIMD8<UInt8>(truncatingIfNeeded: product &>> 16)
        unsafe UnsafeMutableRawPointer(old + offset).storeBytes(of: mean, as: SIMD8<UInt8>.self)
        column &+= 8
      }
    }
  }

  @inline(__always)
  private static func bytes16(_ samples: Samples) -> SIMD16<UInt8> {
    unsafe UnsafeRawPointer(samples).loadUnaligned(as: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private static func bytes8(_ samples: Samples) -> SIMD8<UInt8> {
    unsafe UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<UInt8>.self)
  }

  @inline(__always)
  private static func wide8(_ samples: Samples) -> SIMD8<Int16> {
    unsafe SIMD8<Int16>(truncatingIfNeeded: UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<UInt8>.self))
  }

  @inline(__always)
  private static func load(_ sums: Sums) -> SIMD8<UInt16> {
    unsafe UnsafeRawPointer(sums).loadUnaligned(as: SIMD8<UInt16>.self)
  }

  @inline(__always)
  private static func store(_ value: SIMD8<UInt16>, to sums: Sums) {
    unsafe UnsafeMutableRawPointer(sums).storeBytes(of: value, as: SIMD8<UInt16>.self)
  }
}
