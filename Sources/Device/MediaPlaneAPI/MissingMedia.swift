public import MediaCore

/// Audio or video that both sides of a call want and that it lacks, because of how the other side has described them.
public struct MissingMedia: Sendable, Hashable {
  /// Why, for a program.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    case noCommonCodec = "no-common-codec"
    case notBundled = "not-bundled"
    case notEncrypted = "not-encrypted"
    case noMultiplexing = "no-rtcp-mux"
  }

  public var kind: MediaKind
  public var reason: Reason
  /// What is missing, why, and what is needed.
  public var text: String

  public init(kind: MediaKind, reason: Reason, text: String) {
    self.kind = kind
    self.reason = reason
    self.text = text
  }
}
