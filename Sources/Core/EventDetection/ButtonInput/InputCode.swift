/// A key or a switch of an input device.
public enum InputCode: Hashable, Sendable {
  case key(KeyCode)
  case `switch`(SwitchCode)

  /// Nil for a name that linux/input-event-codes.h does not have.
  public init?(name: String) {
    if let code = SwitchCode(name: name) {
      self = .switch(code)
    } else if let code = KeyCode(name: name) {
      self = .key(code)
    } else {
      return nil
    }
  }

  public static var names: [String] { KeyCode.names + SwitchCode.names }
}

extension InputCode: CustomStringConvertible {
  public var description: String {
    switch self {
    case .key(let code): "key \(code.number)"
    case .switch(let code): "switch \(code.number)"
    }
  }
}

/// A switch of an input device, which stays as it is set, as linux/input-event-codes.h numbers them.
public struct SwitchCode: Hashable, Sendable {
  public let number: UInt16

  /// In the order of their numbers, from 0 to SW_MAX of the kernel.
  static let names = [
    "SW_LID", "SW_TABLET_MODE", "SW_HEADPHONE_INSERT", "SW_RFKILL_ALL", "SW_MICROPHONE_INSERT", "SW_DOCK",
    "SW_LINEOUT_INSERT", "SW_JACK_PHYSICAL_INSERT", "SW_VIDEOOUT_INSERT", "SW_CAMERA_LENS_COVER", "SW_KEYPAD_SLIDE",
    "SW_FRONT_PROXIMITY", "SW_ROTATE_LOCK", "SW_LINEIN_INSERT", "SW_MUTE_DEVICE", "SW_PEN_INSERTED",
    "SW_MACHINE_COVER",
  ]

  /// Nil for a number that no switch has.
  public init?(number: Int) {
    guard Self.names.indices.contains(number) else { return nil }
    self.number = UInt16(clamping: number)
  }

  /// Nil for a name that linux/input-event-codes.h does not have, such as `SW_LID`.
  public init?(name: String) {
    guard let number = Self.names.firstIndex(of: name) else { return nil }
    self.init(number: number)
  }
}

/// How to read the level of a key, a switch or a line.
public enum LevelOrigin: Hashable, Sendable {
  /// It has changed.
  case edge
  /// It was found so when the device came, or after events were lost.
  case found
  /// The device is gone: the level is unknown, and reported as inactive.
  case lost
}
