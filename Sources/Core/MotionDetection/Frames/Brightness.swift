/// How bright a frame is.
public enum Brightness {
  /// Video range: luma has 219 steps from black.
  private static let (black, steps) = (16.0, 219.0)

  /// The mean of luma samples in per cent, 0 (black) to 100 (white); 0 for none. O(samples).
  public static func percent(of luma: Span<UInt8>) -> Double {
    guard luma.count > 0 else { return 0 }
    var sum = 0
    for index in 0..<luma.count { sum &+= Int(luma[index]) }
    return min(max((Double(sum) / Double(luma.count) - black) / steps * 100, 0), 100)
  }
}
