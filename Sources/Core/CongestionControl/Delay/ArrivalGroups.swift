import MediaCore

/// How much later one group of packets arrived than the one before, against when they were sent.
struct GroupDelta {
  var sent: TimeSpan
  var arrived: TimeSpan
  /// Arrival of the later group's last packet.
  var arrival: TimeSpan

  /// Positive when a queue grew.
  var variation: TimeSpan { arrived - sent }
}

/// Puts packets that were sent or arrived in one burst into groups (draft-ietf-rmcat-gcc-02 §5.2, §5.3).
///
/// Times are spans since each end's own origin; only differences count, so the clocks need not agree.
struct ArrivalGroups {
  private static var burst: TimeSpan { .milliseconds(5) }
  private static var longestGroup: TimeSpan { .milliseconds(100) }
  /// A difference that no queue makes: a clock was set, or the stream paused.
  private static var longestVariation: Int64 { 3_000_000_000 }

  private struct Group {
    var firstSent: TimeSpan
    var lastSent: TimeSpan
    var firstArrived: TimeSpan
    var lastArrived: TimeSpan

    init(sent: TimeSpan, arrived: TimeSpan) {
      firstSent = sent
      lastSent = sent
      firstArrived = arrived
      lastArrived = arrived
    }
  }

  private var current: Group?
  private var previous: Group?

  /// Takes a packet; returns the difference between the last two groups when the packet begins a new one.
  mutating func add(sent: TimeSpan, arrived: TimeSpan) -> GroupDelta? {
    guard let group = current else {
      current = Group(sent: sent, arrived: arrived)
      return nil
    }
    // A packet from before the group was overtaken: a sign of reordering, not of a queue.
    guard sent >= group.firstSent else { return nil }
    if belongs(sent: sent, arrived: arrived, to: group) {
      current?.lastSent = max(group.lastSent, sent)
      current?.lastArrived = max(group.lastArrived, arrived)
      return nil
    }
    defer { begin(Group(sent: sent, arrived: arrived), after: group) }
    return previous.flatMap { delta(from: $0, to: group) }
  }

  private func belongs(sent: TimeSpan, arrived: TimeSpan, to group: Group) -> Bool {
    if sent - group.firstSent <= Self.burst { return true }
    // Packets that waited for a busy link leave it back to back.
    let isBackToBack = arrived - group.lastArrived <= Self.burst && arrived - group.lastArrived < sent - group.lastSent
    return isBackToBack && arrived - group.firstArrived <= Self.longestGroup
  }

  private mutating func begin(_ group: Group, after finished: Group) {
    previous = finished
    current = group
  }

  private func delta(from first: Group, to second: Group) -> GroupDelta? {
    let delta = GroupDelta(
      sent: second.lastSent - first.lastSent, arrived: second.lastArrived - first.lastArrived,
      arrival: second.lastArrived)
    guard delta.arrived >= .zero, delta.variation.magnitude.nanoseconds < Self.longestVariation else { return nil }
    return delta
  }
}
