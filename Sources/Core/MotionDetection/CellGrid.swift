/// The grid on which motion is detected: each cell is the mean luma of a square of samples.
public struct CellGrid: Hashable, Sendable {
  /// Cells of a row, 1 to ``maximumWidth``.
  public let width: Int
  /// Rows, 1 to ``maximumHeight``.
  public let height: Int

  /// Samples of luma along a cell's edge.
  public let side: Int

  public static var maximumWidth: Int { 160 }
  public static var maximumHeight: Int { 120 }

  /// The finest grid for a frame of this size, in samples of luma: 640×480 becomes 160×120.
  public init(frameWidth: Int, frameHeight: Int) {
    let (frameWidth, frameHeight) = (max(frameWidth, 1), max(frameHeight, 1))
    let across = (frameWidth - 1) / Self.maximumWidth + 1
    let down = (frameHeight - 1) / Self.maximumHeight + 1
    side = min(max(across, down), frameWidth, frameHeight)
    width = frameWidth / side
    height = frameHeight / side
  }

  /// Cells in all.
  public var count: Int { width * height }
}
