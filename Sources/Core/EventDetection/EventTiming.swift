public import MediaCore

/// How signals of a source become events.
public struct EventTiming: Hashable, Sendable {
  /// How long a signal has to last before it counts.
  public var minimumDuration: TimeSpan
  /// An event ends after this long without a signal; one that comes back before belongs to the same event.
  public var post: TimeSpan
  /// The shortest time from the end of an event to the beginning of the next.
  public var minimumGap: TimeSpan
  /// A longer event is ended, and another one begins.
  public var longest: TimeSpan

  /// For signals that are debounced at their source: an event begins with the first, and ends by
  /// ``EventTrigger/finish()``, or after a day.
  public static var debouncedElsewhere: EventTiming {
    EventTiming(minimumDuration: .zero, post: .seconds(86_400), longest: .seconds(86_400))
  }

  /// Negative spans count as none; an event lasts at least a second before it is cut.
  public init(
    minimumDuration: TimeSpan = .milliseconds(500), post: TimeSpan = .seconds(5), minimumGap: TimeSpan = .zero,
    longest: TimeSpan = .seconds(600)
  ) {
    self.minimumDuration = max(minimumDuration, .zero)
    self.post = max(post, .zero)
    self.minimumGap = max(minimumGap, .zero)
    self.longest = max(longest, .seconds(1))
  }
}
