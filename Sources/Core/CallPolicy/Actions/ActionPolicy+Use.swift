extension ActionPolicy {
  /// The rule by which a requester may use an action at some time, whatever the hour; nil where none ever lets it. A rule
  /// with hours that refuses is passed over: it does not at all times.
  public func rule(everAllowing action: String, to requester: ActionRequester) -> ActionRule? {
    let rule = rules.first { rule in
      guard rule.actions.contains(action), rule.allows || rule.hours == nil, !rule.needsCall else { return false }
      return rule.requesters.map { $0.contains { $0.check(requester) == .met } } ?? true
    }
    return rule.flatMap { $0.allows ? $0 : nil }
  }
}
