/// Where in a frame a text is placed.
public enum OverlayCorner: String, Sendable, Hashable, CaseIterable {
  case topLeft = "top-left"
  case topRight = "top-right"
  case bottomLeft = "bottom-left"
  case bottomRight = "bottom-right"
}

/// How large a text is, regardless of the frame's size.
public enum TextSize: String, Sendable, Hashable, CaseIterable {
  /// A character is about a 60th of the frame's height.
  case small
  /// A 34th.
  case medium
  /// A 17th.
  case large

  /// Samples for each of the font's.
  fileprivate func scale(height: Int) -> Int {
    let rows =
      switch self {
      case .small: 480
      case .medium: 240
      case .large: 120
      }
    return max(height / rows, 1)
  }
}

/// The box of a text in frames of one size, and its place.
public struct TextPlacement: Sendable, Hashable {
  public let columns: Int
  public let scale: Int
  /// The box's upper left corner; even.
  public let x: Int
  /// See ``x``.
  public let y: Int

  /// As large as requested, or as fits; a text that does not fit at all is cut at the right. Nil for a frame that has
  /// no room for a single character.
  public init?(
    columns: Int, lines: Int, size: TextSize, corner: OverlayCorner, frameWidth: Int, frameHeight: Int
  ) {
    func fits(_ columns: Int, _ scale: Int) -> Bool {
      let box = TextBox.size(columns: columns, lines: lines, scale: scale)
      return box.width <= frameWidth && box.height <= frameHeight
    }
    guard columns > 0, lines > 0, fits(1, 1) else { return nil }
    let wanted = size.scale(height: frameHeight)
    let scale = (1...wanted).last { fits(columns, $0) } ?? 1
    self.scale = scale
    self.columns = (1...columns).last { fits($0, scale) } ?? 1
    let box = TextBox.size(columns: self.columns, lines: lines, scale: scale)
    let isRight = corner == .topRight || corner == .bottomRight
    let isBottom = corner == .bottomLeft || corner == .bottomRight
    x = isRight ? (frameWidth - box.width) & ~1 : 0
    y = isBottom ? (frameHeight - box.height) & ~1 : 0
  }
}
