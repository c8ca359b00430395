/// A message that was published to a channel.
public struct RedisMessage: Sendable, Hashable {
  public let channel: String
  public let payload: [UInt8]

  public init(channel: String, payload: [UInt8]) {
    self.channel = channel
    self.payload = payload
  }

  /// `nil` unless the value is `message` or `smessage` with a channel and a payload.
  init?(_ value: RedisValue) {
    guard case .array(let parts) = value, parts.count == 3, case .string(let kind) = parts[0],
      kind == Self.plain || kind == Self.sharded, let channel = parts[1].text, case .string(let payload) = parts[2]
    else { return nil }
    self.init(channel: channel, payload: payload)
  }

  private static let plain = Array("message".utf8)
  private static let sharded = Array("smessage".utf8)
}
