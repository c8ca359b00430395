/// A borrowed 8-bit 4:2:0 image: three planes with their row lengths in memory.
public struct I420View: ~Escapable {
  /// Size in pixels; chroma planes have half of each, rounded up.
  public let width: Int
  /// See ``width``.
  public let height: Int
  /// Luma, a byte a sample, the top row first.
  public let y: RawSpan
  /// Blue-difference chroma (Cb), a byte for two by two samples of luma.
  public let u: RawSpan
  /// Red-difference chroma (Cr), laid out as `u`.
  public let v: RawSpan
  /// Bytes from one row to the next.
  public let yStride: Int
  /// The same for both chroma planes.
  public let chromaStride: Int

  /// Traps when a plane is too short for the size and stride.
  @_lifetime(copy y, copy u, copy v)
  public init(width: Int, height: Int, y: RawSpan, u: RawSpan, v: RawSpan, yStride: Int, chromaStride: Int) {
    let chromaWidth = (width + 1) / 2
    let chromaHeight = (height + 1) / 2
    precondition(width > 0 && height > 0 && yStride >= width && chromaStride >= chromaWidth)
    precondition(y.byteCount >= yStride * (height - 1) + width)
    precondition(min(u.byteCount, v.byteCount) >= chromaStride * (chromaHeight - 1) + chromaWidth)
    self.width = width
    self.height = height
    self.y = y
    self.u = u
    self.v = v
    self.yStride = yStride
    self.chromaStride = chromaStride
  }

  /// The luma sample at a position inside the image.
  public func luma(x: Int, y row: Int) -> UInt8 {
    precondition(x >= 0 && x < width && row >= 0 && row < height)
    return unsafe y.unsafeLoad(fromByteOffset: row * yStride + x, as: UInt8.self)
  }
}

/// Owns one 8-bit 4:2:0 image; rows begin at multiples of 64 bytes for the vector units.
@safe
public struct I420Buffer: ~Copyable, @unchecked Sendable {
  /// Pixels; may be odd.
  public let width: Int
  /// Pixels; may be odd.
  public let height: Int
  /// Bytes from one row of luma to the next, a multiple of 64.
  public let yStride: Int
  /// The same for both chroma planes.
  public let chromaStride: Int
  private let memory: UnsafeMutablePointer<UInt8>

  private static var alignment: Int { 64 }

  /// Samples in a row of chroma: half of the width, rounded up.
  public var chromaWidth: Int { (width + 1) / 2 }
  /// Rows of chroma: half of the height, rounded up.
  public var chromaHeight: Int { (height + 1) / 2 }
  private var yCount: Int { yStride * height }
  private var chromaCount: Int { chromaStride * chromaHeight }

  /// Creates a black image.
  public init(width: Int, height: Int) {
    precondition(width > 0 && height > 0)
    self.width = width
    self.height = height
    yStride = (width + Self.alignment - 1) / Self.alignment * Self.alignment
    chromaStride = ((width + 1) / 2 + Self.alignment - 1) / Self.alignment * Self.alignment
    let luma = yStride * height
    let chroma = 2 * chromaStride * ((height + 1) / 2)
    let raw = UnsafeMutableRawPointer.allocate(byteCount: luma + chroma, alignment: Self.alignment)
    unsafe memory = raw.bindMemory(to: UInt8.self, capacity: luma + chroma)
    unsafe memory.initialize(repeating: 16, count: luma)
    unsafe (memory + luma).initialize(repeating: 128, count: chroma)
  }

  deinit { unsafe memory.deallocate() }

  /// A copy of the buffer.
  public func copy() -> I420Buffer {
    let copy = I420Buffer(width: width, height: height)
    unsafe copy.memory.update(from: memory, count: yCount + 2 * chromaCount)
    return copy
  }

  /// The image, borrowed.
  public var view: I420View {
    @_lifetime(borrow self)
    borrowing get {
      let y = unsafe UnsafeRawBufferPointer(start: memory, count: yCount)
      let u = unsafe UnsafeRawBufferPointer(start: memory + yCount, count: chromaCount)
      let v = unsafe UnsafeRawBufferPointer(start: memory + yCount + chromaCount, count: chromaCount)
      let view = unsafe I420View(
        width: width, height: height, y: y.bytes, u: u.bytes, v: v.bytes, yStride: yStride,
        chromaStride: chromaStride)
      return unsafe _overrideLifetime(view, borrowing: self)
    }
  }

  /// Lends the three planes for writing; the pointers are valid only during the call.
  public mutating func withUnsafeMutablePlanes<Result: ~Copyable, Failure: Error>(
    _ body: (
      _ y: UnsafeMutablePointer<UInt8>, _ u: UnsafeMutablePointer<UInt8>, _ v: UnsafeMutablePointer<UInt8>
    ) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe try body(memory, memory + yCount, memory + yCount + chromaCount)
  }

  /// Fills a rectangle, clipped to the image, with one colour. Chroma covers every sample that the rectangle touches.
  public mutating func fill(_ area: FrameArea, with colour: YUVColour) {
    let left = max(area.x, 0)
    let right = min(area.x + area.width, width)
    let top = max(area.y, 0)
    let bottom = min(area.y + area.height, height)
    guard left < right, top < bottom else { return }
    for row in top..<bottom {
      unsafe (memory + row * yStride + left).update(repeating: colour.y, count: right - left)
    }
    let chromaLeft = left / 2
    let count = (right + 1) / 2 - chromaLeft
    for row in top / 2..<(bottom + 1) / 2 {
      let offset = yCount + row * chromaStride + chromaLeft
      unsafe (memory + offset).update(repeating: colour.u, count: count)
      unsafe (memory + offset + chromaCount).update(repeating: colour.v, count: count)
    }
  }
}

/// A rectangle of an image, in samples of luma; it may reach beyond.
public struct FrameArea: Sendable, Hashable {
  /// The left edge; negative to the left of the image.
  public var x: Int
  /// The upper edge; negative above the image.
  public var y: Int
  /// To the right of `x`.
  public var width: Int
  /// Downward from `y`.
  public var height: Int

  /// Takes the values unchecked.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// A colour in limited range (ITU-R BT.601); grey unless chroma is named.
public struct YUVColour: Sendable, Hashable {
  /// Luma: 16 is black, 235 white.
  public var y: UInt8
  /// Blue-difference chroma (Cb), 16 to 240; 128 is none.
  public var u: UInt8
  /// Red-difference chroma (Cr), 16 to 240; 128 is none.
  public var v: UInt8

  /// Takes the values unchecked.
  public init(y: UInt8, u: UInt8 = 128, v: UInt8 = 128) {
    self.y = y
    self.u = u
    self.v = v
  }
}
