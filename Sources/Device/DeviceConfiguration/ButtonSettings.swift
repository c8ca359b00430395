public import EventDetection
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

/// `[[button]]`: a button at the device.
public struct ButtonSettings: Sendable, Hashable {
  public static let maxCount = 32

  /// 1 to 64 bytes; no other button has it.
  public var name: String
  public var place: InputPlace
  public var timing: ButtonTiming
  public var press: ButtonAction?
  public var longPress: ButtonAction?
  /// Set where one of the actions is ``ButtonAction/call``.
  public var call: HuntSettings?
}
