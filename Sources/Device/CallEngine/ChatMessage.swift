public import Signalling

/// A line of text chat.
public struct ChatMessage: Sendable, Equatable {
  public var sessionID: SessionID
  /// The sender; `nil` for this device before it knows its own id.
  public var userID: String?
  public var isOutgoing: Bool
  /// 1 to ``longestText`` bytes.
  public var text: String

  static let longestText = 8_192
}
