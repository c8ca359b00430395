public import EventDetection
public import MediaCore

/// A key or a switch of an input device.
public struct InputKey: Sendable, Hashable {
  /// A path that begins with /, else the name that the kernel gives the device.
  public var device: String
  public var code: InputCode
  /// Whether the device's events are grabbed exclusively.
  public var isGrabbed: Bool
}

/// A line of a GPIO chip.
public struct InputLine: Sendable, Hashable {
  public enum Bias: String, Sendable, Hashable, CaseIterable {
    case asIs = "as-is"
    case pullUp = "pull-up"
    case pullDown = "pull-down"
    case disabled
  }

  public enum Place: Sendable, Hashable {
    /// Counts from 0.
    case offset(UInt32)
    case name(String)
  }

  /// A path, a device's name or a label.
  public var chip: String
  public var line: Place
  /// Whether the low level is the active one: that of a pressed button, or an open door.
  public var isActiveLow: Bool
  public var bias: Bias
  /// Levels that hold for less are none: by the chip, else by the kernel; zero lets all through.
  public var debounce: TimeSpan = .zero
}

/// Where a button or a contact is.
public enum InputPlace: Sendable, Hashable {
  case key(InputKey)
  case line(InputLine)
}
