/// What the clients of a socket may do.
public enum ControlAccess: Sendable, Hashable {
  case full
  /// See what the device does, and change nothing: status, figures, the lists of archives and of what was noticed, and events.
  case monitoring

  /// Whether it permits what another access permits.
  public func includes(_ other: ControlAccess) -> Bool {
    switch (self, other) {
    case (.full, .full), (.full, .monitoring), (.monitoring, .monitoring): true
    case (.monitoring, .full): false
    }
  }

  /// What a client may see of an event: what is said in a call is for its parties, so who only watches learns that there
  /// was a chat line, not what it says.
  public func shown(_ event: DeviceEvent) -> DeviceEvent {
    guard self == .monitoring, event.name == DeviceEvent.chatName else { return event }
    var event = event
    event.text = nil
    return event
  }
}
