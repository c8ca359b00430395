/// What an owner may want to log: each is reported once a change, in order, on the event loop.
public enum RedisConnectionEvent: Sendable, Hashable {
  /// Commands can be sent. For a subscriber: all channels are subscribed to, and messages may have been lost before.
  case connected
  /// No connection is left, or the first attempt has failed; attempts continue.
  case lost(RedisDisconnection)
}
