public import MediaCore

/// Lines of text in a dark box, ready to be copied into frames: light on dark is readable in front of everything.
///
/// All memory is allocated at creation. When the text changes, only changed characters are redrawn.
public struct TextBox: Sendable {
  /// Samples; even, so that the box covers whole blocks of chroma.
  public let width: Int
  /// See ``width``.
  public let height: Int
  /// Characters of a line.
  public let columns: Int
  private let scale: Int
  private var codes: [UInt8]
  private var luma: [UInt8]

  private static let background: UInt8 = 24
  private static let ink: UInt8 = 235
  private static let grey: UInt8 = 128

  /// Blank lines.
  ///
  /// - Parameter scale: samples for each of the font's.
  public init(columns: Int, lines: Int, scale: Int) {
    precondition(columns > 0 && lines > 0 && scale > 0)
    (width, height) = Self.size(columns: columns, lines: lines, scale: scale)
    self.columns = columns
    self.scale = scale
    codes = [UInt8](repeating: BitmapFont.space, count: columns * lines)
    luma = [UInt8](repeating: Self.background, count: width * height)
  }

  /// Samples of such a box.
  public static func size(columns: Int, lines: Int, scale: Int) -> (width: Int, height: Int) {
    // A sample of the font between the characters and the edges; the characters bring their own at right and bottom.
    let width = (columns * BitmapFont.advance + 1) * scale
    let height = lines * BitmapFont.lineHeight * scale
    return (width + width % 2, height + height % 2)
  }

  /// Writes a line, cut to ``columns`` and filled with blanks.
  ///
  /// - Parameter text: codes of ``BitmapFont``.
  public mutating func write(_ text: Span<UInt8>, line: Int) {
    for column in 0..<columns {
      let code = column < text.count ? text[column] : BitmapFont.space
      guard codes[line * columns + column] != code else { continue }
      codes[line * columns + column] = code
      draw(code, line: line, column: column)
    }
  }

  private mutating func draw(_ code: UInt8, line: Int, column: Int) {
    let rows = BitmapFont.rows(of: code)
    let left = (column * BitmapFont.advance + 1) * scale
    let top = (line * BitmapFont.lineHeight + 1) * scale
    for row in 0..<BitmapFont.height * scale {
      let bits = rows[rows.startIndex + row / scale]
      let begin = (top + row) * width + left
      for x in 0..<BitmapFont.width * scale {
        let isSet = bits >> UInt8(BitmapFont.width - 1 - x / scale) & 1 == 1
        luma[begin + x] = isSet ? Self.ink : Self.background
      }
    }
  }

  /// Copies the box into a frame that has room for it.
  ///
  /// - Parameters:
  ///   - x: of the left edge; even.
  ///   - y: of the upper edge; even.
  public func draw(into frame: inout I420Buffer, x: Int, y: Int) {
    precondition(x >= 0 && y >= 0 && x % 2 == 0 && y % 2 == 0)
    precondition(x + width <= frame.width && y + height <= frame.height)
    let (lumaStride, chromaStride) = (frame.yStride, frame.chromaStride)
    unsafe luma.withUnsafeBufferPointer { luma in
      unsafe frame.withUnsafeMutablePlanes { yPlane, u, v in
        for row in 0..<height {
          unsafe (yPlane + (y + row) * lumaStride + x).update(from: luma.baseAddress! + row * width, count: width)
        }
        for row in 0..<height / 2 {
          let offset = (y / 2 + row) * chromaStride + x / 2
          unsafe (u + offset).update(repeating: Self.grey, count: width / 2)
          unsafe (v + offset).update(repeating: Self.grey, count: width / 2)
        }
      }
    }
  }
}
