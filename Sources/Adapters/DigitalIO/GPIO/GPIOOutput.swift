internal import CLinux
internal import Glibc

/// What drives an output, and which level is its active one.
public struct GPIOOutputSettings: Sendable, Hashable {
  public enum Drive: Sendable, Hashable {
    case pushPull
    case openDrain
    case openSource
  }

  /// Whether the physical low level is the active one, as with many relay boards.
  public var isActiveLow: Bool
  public var drive: Drive

  public init(isActiveLow: Bool = false, drive: Drive = .pushPull) {
    self.isActiveLow = isActiveLow
    self.drive = drive
  }

  var flags: UInt64 {
    let driven: UInt64 =
      switch drive {
      case .pushPull: 0
      case .openDrain: cgpio_open_drain
      case .openSource: cgpio_open_source
      }
    return cgpio_output | driven | (isActiveLow ? cgpio_active_low : 0)
  }
}

/// A line that is requested as an output, and released on deinit.
///
/// Most chips keep the last level of a line that is released: set it inactive before. May be used by any thread: the
/// kernel puts requests to one line in order.
public final class GPIOOutput: Sendable {
  private let descriptor: Int32
  private let place: GPIOPlace

  init(descriptor: Int32, place: GPIOPlace) {
    self.descriptor = descriptor
    self.place = place
  }

  deinit { close(descriptor) }

  public func set(isActive: Bool) throws(GPIOError) {
    try place.check("GPIO_V2_LINE_SET_VALUES", cgpio_set(descriptor, isActive ? 1 : 0))
  }
}

/// Which line an error is about.
struct GPIOPlace: Sendable {
  let chip: String
  let line: GPIOLineName

  func check(_ call: String, _ failure: Int32) throws(GPIOError) {
    guard failure == 0 else { throw GPIOError(.system(call: call, errno: failure), chip: chip, line: line) }
  }
}
