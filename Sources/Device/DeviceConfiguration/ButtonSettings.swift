public import ButtonInput
import CallPolicy
import ConfigFile

/// What a press does.
public enum ButtonAction: Sendable, Hashable {
  /// Calls the button's people.
  case call
  /// Answers the call that has rung longest.
  case answer
  /// Ends what the device has begun, or rejects what rings.
  case hangUp
  /// Starts recording, or stops it.
  case record
  /// Has the device do the action of this name, as the policy allows the button.
  case action(name: String)
}

extension ButtonAction: CustomStringConvertible {
  /// As the file has it.
  public var description: String {
    switch self {
    case .call: "call"
    case .answer: "answer"
    case .hangUp: "hang-up"
    case .record: "record"
    case .action(let name): "action \(name)"
    }
  }
}

/// A key of an input device.
public struct ButtonKey: Sendable, Hashable {
  /// A path that begins with /, else the name that the kernel gives the device.
  public var device: String
  public var code: KeyCode
  /// Whether nobody else gets the device's events.
  public var isGrabbed: Bool
}

/// A line of a GPIO chip.
public struct ButtonLine: Sendable, Hashable {
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
  /// Whether the low level is that of a pressed button.
  public var isActiveLow: Bool
  public var bias: Bias
}

/// Where a button is.
public enum ButtonPlace: Sendable, Hashable {
  case key(ButtonKey)
  case line(ButtonLine)
}

/// `[[button]]`: a button at the device.
public struct ButtonSettings: Sendable, Hashable {
  public static let most = 32

  /// 1 to 64 bytes; no other button has it.
  public var name: String
  public var place: ButtonPlace
  public var timing: ButtonTiming
  public var press: ButtonAction?
  public var longPress: ButtonAction?
  /// Set where one of the actions is ``ButtonAction/call``.
  public var call: HuntSettings?
}
