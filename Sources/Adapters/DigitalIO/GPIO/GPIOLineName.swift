/// A line of a chip: by its place, or by the name that the board's description gives it.
public enum GPIOLineName: Sendable, Hashable, CustomStringConvertible {
  /// Counts from 0.
  case offset(UInt32)
  /// At most 31 bytes, as `gpioinfo` shows it.
  case name(String)

  public var description: String {
    switch self {
    case .offset(let offset): "\(offset)"
    case .name(let name): "\"\(name)\""
    }
  }
}
