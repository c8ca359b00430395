internal import MediaCore

/// The memory of a frame, of the image given to the encoder and of the sums of samples, which all have the same layout,
/// during one call.
struct BlockPlanes {
  @safe
  struct Plane {
    let new: BlockKernels.Samples
    let given: BlockKernels.MutableSamples
    let sums: BlockKernels.Sums
    let stride: Int
    let height: Int

    func copy() { unsafe given.update(from: new, count: stride * height) }
  }

  let y: Plane
  let u: Plane
  let v: Plane

  /// Lends the planes of all three.
  ///
  /// - Parameter sums: as many as the given image has samples with those between its rows.
  static func with<Result>(
    _ image: borrowing I420Buffer, _ given: inout I420Buffer, _ sums: BlockKernels.Sums,
    _ body: (BlockPlanes) -> Result
  ) -> Result {
    let view = image.view
    let (yStride, stride, height, chromaHeight) = (
      given.yStride, given.chromaStride, given.height, given.chromaHeight
    )
    let (first, second) = (yStride * height, yStride * height + stride * chromaHeight)
    return unsafe view.y.withUnsafeBytes { newY in
      unsafe view.u.withUnsafeBytes { newU in
        unsafe view.v.withUnsafeBytes { newV in
          unsafe given.withUnsafeMutablePlanes { y, u, v in
            unsafe body(
              BlockPlanes(
                y: Plane(new: samples(newY), given: y, sums: sums, stride: yStride, height: height),
                u: Plane(new: samples(newU), given: u, sums: sums + first, stride: stride, height: chromaHeight),
                v: Plane(new: samples(newV), given: v, sums: sums + second, stride: stride, height: chromaHeight)))
          }
        }
      }
    }
  }

  private static func samples(_ bytes: UnsafeRawBufferPointer) -> BlockKernels.Samples {
    unsafe bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
  }

  /// A block, by its column and row among those of 16 by 16 samples.
  @inline(__always)
  func block(_ column: Int, _ row: Int) -> PlacedBlock {
    PlacedBlock(
      y: place(y, column * 16, row * 16, side: 16), u: place(u, column * 8, row * 8, side: 8),
      v: place(v, column * 8, row * 8, side: 8))
  }

  @inline(__always)
  private func place(_ plane: Plane, _ x: Int, _ y: Int, side: Int) -> PlacedBlock.Part {
    let offset = y * plane.stride + x
    return unsafe PlacedBlock.Part(
      new: plane.new + offset, given: plane.given + offset, sums: plane.sums + offset, stride: plane.stride,
      rows: min(side, plane.height - y), columns: side)
  }

  /// Gives the frame itself to the encoder.
  func copyAll() {
    y.copy()
    u.copy()
    v.copy()
  }
}

/// One block in all planes. Rows are padded to whole vectors, so that only its height depends on the place.
struct PlacedBlock {
  @safe
  struct Part {
    let new: BlockKernels.Samples
    let given: BlockKernels.MutableSamples
    let sums: BlockKernels.Sums
    let stride: Int
    let rows: Int
    let columns: Int
  }

  let y: Part
  let u: Part
  let v: Part

  /// The mean of four given samples of luma.
  @inline(__always)
  var brightness: UInt8 {
    let (top, bottom) = unsafe (y.given + min(4, y.rows - 1) * y.stride, y.given + min(12, y.rows - 1) * y.stride)
    let sum = unsafe UInt16(top[4]) &+ UInt16(top[12]) &+ UInt16(bottom[4]) &+ UInt16(bottom[12])
    return UInt8(truncatingIfNeeded: sum &>> 2)
  }

  @inline(__always)
  var lumaDifference: BlockDifference {
    unsafe BlockKernels.difference(y.new, y.given, stride: y.stride, rows: y.rows)
  }

  /// Of both chroma planes, each twice.
  @inline(__always)
  var chromaDifference: BlockDifference {
    unsafe BlockKernels.chromaDifference(
      (u.new, v.new), (BlockKernels.Samples(u.given), BlockKernels.Samples(v.given)), stride: u.stride, rows: u.rows)
  }

  @inline(__always)
  private func forEachPart(_ body: (Part) -> Void) {
    body(y)
    body(u)
    body(v)
  }

  /// Gives the frame's samples to the encoder.
  @inline(__always)
  func copy() {
    unsafe BlockKernels.copy16(y.new, to: y.given, stride: y.stride, rows: y.rows)
    unsafe BlockKernels.copy8(u.new, to: u.given, stride: u.stride, rows: u.rows)
    unsafe BlockKernels.copy8(v.new, to: v.given, stride: v.stride, rows: v.rows)
  }

  /// Begins the sums with the samples that the encoder was given and the frame's.
  @inline(__always)
  func beginSums() {
    forEachPart { part in
      unsafe BlockKernels.begin(
        part.sums, part.given, part.new, rowStride: part.stride, rows: part.rows, columns: part.columns)
    }
  }

  @inline(__always)
  func add() {
    forEachPart { part in
      unsafe BlockKernels.add(part.new, to: part.sums, rowStride: part.stride, rows: part.rows, columns: part.columns)
    }
  }

  /// Replaces a 16th of the sums of 32 samples.
  @inline(__always)
  func follow() {
    forEachPart { part in
      unsafe BlockKernels.follow(
        part.new, sums: part.sums, rowStride: part.stride, rows: part.rows, columns: part.columns)
    }
  }

  /// Gives the means of `count` samples to the encoder.
  @inline(__always)
  func giveMeans(of count: Int) {
    forEachPart { part in
      unsafe BlockKernels.writeMeans(
        of: part.sums, count: count, to: part.given, rowStride: part.stride, rows: part.rows, columns: part.columns)
    }
  }
}
