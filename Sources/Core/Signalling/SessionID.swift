/// Names a session, which is a call or the attempt of one: the `{id}` of the hub's paths, and what events call `sessionID`.
///
/// The caller makes it, a UUID in lower case.
public struct SessionID: TextIdentifier {
  public let text: String

  /// Returns nil unless the text is 1 to 128 ASCII letters, digits, `-` and `_`.
  public init?(_ text: String) {
    guard text.isIdentifier(upTo: MessageLimits.identifier) else { return nil }
    self.text = text
  }
}
