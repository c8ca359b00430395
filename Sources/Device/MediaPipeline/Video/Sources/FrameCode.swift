public import MediaCore

/// The machine-readable mark that `test:bars` and `test:street` draw into each frame, so that a receiver can identify the
/// frame and when it was made.
///
/// 64 cells, black (luma 16) for 0 and white (luma 235) for 1, in two rows of 32: across the whole width at the top of the
/// frame (``Place/top``), or small in the lower left corner. With frame size W×H, cell (row, column) at the top covers
///
///     x from ⌊column·W/32⌋ up to ⌊(column+1)·W/32⌋,  y from ⌊row·H/16⌋ up to ⌊(row+1)·H/16⌋
///
/// and in the corner, with w = ⌊2·W/5⌋ and h = ⌊H/20⌋,
///
///     x from ⌊column·w/32⌋ up to ⌊(column+1)·w/32⌋,  y from H−h+⌊row·h/2⌋ up to H−h+⌊(row+1)·h/2⌋
///
/// so scaling the frame does not move it. To read a cell take the mean luma of its middle half; 126 and more is 1.
/// Bit 0 of the 64 is the most significant, at row 0, column 0; bit 32 is at row 1, column 0:
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |               frame number (24)               |  milliseconds |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |     … (24 in all)             |            CRC (16)           |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// The number counts frames drawn since the source was opened; the milliseconds are CLOCK_MONOTONIC's, both modulo
/// 2²⁴. The CRC is CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) over the six bytes before it. Cells are 8×8
/// pixels or more from 256×128 on.
public struct FrameCode: Hashable, Sendable {
  /// Where in a frame.
  public enum Place: CaseIterable, Sendable {
    case top, corner

    fileprivate func area(_ width: Int, _ height: Int) -> FrameArea {
      switch self {
      case .top: FrameArea(x: 0, y: 0, width: width, height: rows * height / 16)
      case .corner: FrameArea(x: 0, y: height - height / 20, width: 2 * width / 5, height: height / 20)
      }
    }
  }

  /// 24 bits.
  public let number: UInt32
  /// 24 bits.
  public let milliseconds: UInt32

  static let columns = 32
  static let rows = 2
  private static let white: UInt8 = 235
  private static let black: UInt8 = 16

  public init(number: UInt32, timestamp: MonotonicInstant) {
    self.number = number & 0xFF_FFFF
    milliseconds = UInt32(truncatingIfNeeded: timestamp.nanoseconds / 1_000_000) & 0xFF_FFFF
  }

  private init?(bits: UInt64) {
    number = UInt32(bits >> 40)
    milliseconds = UInt32(truncatingIfNeeded: bits >> 16) & 0xFF_FFFF
    guard self.bits == bits else { return nil }
  }

  private var bits: UInt64 {
    let value = UInt64(number) << 24 | UInt64(milliseconds)
    return value << 16 | UInt64(Self.checksum(value))
  }

  private static func checksum(_ value: UInt64) -> UInt16 {
    var remainder: UInt16 = 0xFFFF
    for shift in stride(from: UInt64(40), through: 0, by: -8) {
      remainder ^= UInt16(UInt8(truncatingIfNeeded: value >> shift)) << 8
      for _ in 0..<8 {
        remainder = remainder & 0x8000 != 0 ? remainder << 1 ^ 0x1021 : remainder << 1
      }
    }
    return remainder
  }

  /// Rows of pixels at the top that the cells take.
  static func height(inFrameOf height: Int) -> Int { rows * height / 16 }

  /// Draws the cells.
  public func draw(into image: inout I420Buffer, at place: Place = .top) {
    let area = place.area(image.width, image.height)
    let bits = bits
    for index in 0..<Self.rows * Self.columns {
      let isSet = bits >> UInt64(63 - index) & 1 == 1
      image.fill(
        Self.cell(index / Self.columns, index % Self.columns, of: area),
        with: YUVColour(y: isSet ? Self.white : Self.black))
    }
  }

  /// Reads the mark from a frame, wherever it is; nil when there is none or it is damaged.
  public static func read(_ image: borrowing I420View) -> FrameCode? {
    guard image.width >= 2 * columns, image.height >= 32 else { return nil }
    for place in Place.allCases {
      if let code = read(image, place.area(image.width, image.height)) { return code }
    }
    return nil
  }

  private static func read(_ image: borrowing I420View, _ area: FrameArea) -> FrameCode? {
    guard area.width >= columns, area.height >= rows else { return nil }
    var bits: UInt64 = 0
    for index in 0..<rows * columns {
      bits = bits << 1 | (isWhite(image, cell(index / columns, index % columns, of: area)) ? 1 : 0)
    }
    return FrameCode(bits: bits)
  }

  private static func cell(_ row: Int, _ column: Int, of area: FrameArea) -> FrameArea {
    let (left, top) = (column * area.width / columns, row * area.height / rows)
    return FrameArea(
      x: area.x + left, y: area.y + top, width: (column + 1) * area.width / columns - left,
      height: (row + 1) * area.height / rows - top)
  }

  private static func isWhite(_ image: borrowing I420View, _ cell: FrameArea) -> Bool {
    let columnEdges = middle(cell.x, cell.x + cell.width)
    let rowEdges = middle(cell.y, cell.y + cell.height)
    var sum = 0
    for y in rowEdges {
      for x in columnEdges { sum += Int(image.luma(x: x, y: y)) }
    }
    return sum >= 126 * columnEdges.count * rowEdges.count
  }

  /// The middle half of a range, at least one element.
  private static func middle(_ start: Int, _ end: Int) -> Range<Int> {
    let quarter = (end - start) / 4
    return start + quarter..<max(end - quarter, start + quarter + 1)
  }
}
