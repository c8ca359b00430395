import MediaCore

/// Whether something happens that is to be published.
struct PublishOccasions: Sendable {
  /// How long events are published after their end.
  static let followUp = TimeSpan.seconds(30)
  /// An event whose end is not reported is over after this time.
  static let longestEvent = TimeSpan.seconds(3_600)
  private static let maximumEvents = 64

  private let occasion: PublishTarget.Occasion
  private var hasCalls = false
  /// Until when each event is published.
  private var events: [String: MonotonicInstant] = [:]

  init(_ occasion: PublishTarget.Occasion) { self.occasion = occasion }

  mutating func note(calls: [CallSnapshot]) { hasCalls = calls.contains { $0.phase == .connected } }

  mutating func note(event id: String, isOver: Bool, now: MonotonicInstant) {
    events = events.filter { $0.value > now }
    guard events[id] != nil || events.count < Self.maximumEvents else { return }
    events[id] = now + (isOver ? Self.followUp : Self.longestEvent)
  }

  func isWanted(now: MonotonicInstant) -> Bool {
    switch occasion {
    case .always: true
    case .calls: hasCalls
    case .events: events.values.contains { $0 > now }
    }
  }

  /// When what is wanted changes by itself.
  var deadline: MonotonicInstant {
    switch occasion {
    case .always, .calls: .distantFuture
    case .events: events.values.max() ?? .distantFuture
    }
  }
}
