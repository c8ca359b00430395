import CallPolicy

extension PolicyExplainReply {
  /// Whether the device may call a user, and how such a call is made.
  init(_ settings: OutgoingSettings, receiver: String) {
    guard !settings.permits(receiver) else {
      self.init(permits: true, "call: \(settings)", userID: receiver)
      return
    }
    switch settings.receivers {
    case .noOne: self.init(permits: false, "no call: allowed in [outgoing] is false", userID: receiver)
    case .anyone, .users:
      self.init(permits: false, "no call: not among allowed in [outgoing]", userID: receiver)
    }
  }

  /// Whether a user of the hub may have the device record.
  init(_ permissions: RecordingPermissions, userID: String, role: CallerRole, groups: [String]) {
    let reasons = permissions.reasons(for: userID, role, groups)
    switch role {
    case .operator where !reasons.isEmpty:
      let names = reasons.map(\.description).joined(separator: ", ")
      self.init(permits: true, "may have the device record: \(names) in [recording]", userID: userID)
    case .operator:
      let cause = permissions.allowed.isEmpty ? "no one is allowed" : "not among allowed"
      self.init(permits: false, "no recording: \(cause) in [recording]", userID: userID)
    case .user, .device, .anonymous, .guest, .viewer:
      self.init(permits: false, "no recording: the hub lets operators alone ask", userID: userID)
    }
  }

  private init(permits: Bool, _ text: String, userID: String) {
    self.init(
      explanation: PolicyExplanation(
        decision: permits ? "allow" : "refuse", text: text, rules: [], caller: userID), lines: [text])
  }
}
