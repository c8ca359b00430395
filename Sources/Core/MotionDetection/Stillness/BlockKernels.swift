/// How a block of 16 by 16 samples differs from another, measured in every second row: sums over its four quarters.
///
/// Left above, right above, left below, right below.
struct BlockDifference {
  /// Sums of absolute differences.
  var absolute = SIMD4<Int32>()
  /// Sums of differences.
  var signed = SIMD4<Int32>()
}

/// Vector code for blocks of samples; every pointer is to the first sample of a block.
///
/// Signs are taken by arithmetic: without SSE 4.1 a comparison of vectors is compiled into one of each element.
enum BlockKernels {
  typealias Samples = UnsafePointer<UInt8>
  typealias MutableSamples = UnsafeMutablePointer<UInt8>
  typealias Sums = UnsafeMutablePointer<UInt16>

  /// Compares 16 columns of two blocks of luma with equal strides.
  ///
  /// - Parameter rows: that the block has, up to 16.
  @inline(__always)
  static func difference(_ new: Samples, _ old: Samples, stride: Int, rows: Int) -> BlockDifference {
    var result = BlockDifference()
    let above = unsafe halfDifference(new, old, stride: stride, rows: min(rows, 8))
    (result.absolute[0], result.absolute[1]) = (above.absolute.x, above.absolute.y)
    (result.signed[0], result.signed[1]) = (above.signed.x, above.signed.y)
    guard rows > 8 else { return result }
    let offset = 8 * stride
    let below = unsafe halfDifference(new + offset, old + offset, stride: stride, rows: rows - 8)
    (result.absolute[2], result.absolute[3]) = (below.absolute.x, below.absolute.y)
    (result.signed[2], result.signed[3]) = (below.signed.x, below.signed.y)
    return result
  }

  @inline(__always)
  private static func halfDifference(
    _ new: Samples, _ old: Samples, stride: Int, rows: Int
  ) -> (absolute: SIMD2<Int32>, signed: SIMD2<Int32>) {
    var absolute = SIMD16<Int16>()
    var signed = SIMD16<Int16>()
    var row = 0
    while row < rows {
      let offset = row * stride
      let difference = unsafe wide16(new + offset) &- wide16(old + offset)
      let sign = difference &>> 15
      absolute &+= (difference ^ sign) &- sign
      signed &+= difference
      row += 2
    }
    return (
      SIMD2(Int32(absolute.lowHalf.wrappedSum()), Int32(absolute.highHalf.wrappedSum())),
      SIMD2(Int32(signed.lowHalf.wrappedSum()), Int32(signed.highHalf.wrappedSum()))
    )
  }

  /// The sums of absolute and of signed differences of 8 columns of chroma, in every second row.
  @inline(__always)
  static func chromaDifference(_ new: Samples, _ old: Samples, stride: Int, rows: Int) -> (Int32, Int32) {
    var absolute = SIMD8<Int16>()
    var signed = SIMD8<Int16>()
    var row = 0
    while row < rows {
      let offset = row * stride
      let difference = unsafe wide8(new + offset) &- wide8(old + offset)
      let sign = difference &>> 15
      absolute &+= (difference ^ sign) &- sign
      signed &+= difference
      row += 2
    }
    return (Int32(absolute.wrappedSum()), Int32(signed.wrappedSum()))
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
      for column in stride(from: 0, to: columns, by: 8) {
        let offset = row * rowStride + column
        let sum = unsafe wide8(first + offset) &+ wide8(second + offset)
        unsafe store(SIMD8<UInt16>(truncatingIfNeeded: sum), to: sums + offset)
      }
    }
  }

  /// Adds a frame's samples.
  @inline(__always)
  static func add(_ new: Samples, to sums: Sums, rowStride: Int, rows: Int, columns: Int) {
    for row in 0..<rows {
      for column in stride(from: 0, to: columns, by: 8) {
        let offset = row * rowStride + column
        let sum = unsafe load(sums + offset) &+ SIMD8<UInt16>(truncatingIfNeeded: wide8(new + offset))
        unsafe store(sum, to: sums + offset)
      }
    }
  }

  /// Replaces one `1 << shift`th of each sum with a frame's samples.
  @inline(__always)
  static func follow(
    _ new: Samples, sums: Sums, shift: UInt16, rowStride: Int, rows: Int, columns: Int
  ) {
    let half = UInt16(1) << (shift - 1)
    for row in 0..<rows {
      for column in stride(from: 0, to: columns, by: 8) {
        let offset = row * rowStride + column
        let sum = unsafe load(sums + offset)
        let next = unsafe sum &- ((sum &+ half) &>> shift) &+ SIMD8<UInt16>(truncatingIfNeeded: wide8(new + offset))
        unsafe store(next, to: sums + offset)
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
      for column in stride(from: 0, to: columns, by: 8) {
        let offset = row * rowStride + column
        let sum = unsafe load(sums + offset) &+ half
        let product = SIMD8<UInt32>(truncatingIfNeeded: sum) &* inverse
        let mean = SIMD8<UInt8>(truncatingIfNeeded: product &>> 16)
        unsafe UnsafeMutableRawPointer(old + offset).storeBytes(of: mean, as: SIMD8<UInt8>.self)
      }
    }
  }

  @inline(__always)
  private static func wide16(_ samples: Samples) -> SIMD16<Int16> {
    unsafe SIMD16<Int16>(truncatingIfNeeded: UnsafeRawPointer(samples).loadUnaligned(as: SIMD16<UInt8>.self))
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
