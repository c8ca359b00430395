extension CallEngine {
  /// Announces presence soon, for what goes with it and should not wait for the next heartbeat.
  public nonisolated func announcePresence() { presence.changed() }
}
