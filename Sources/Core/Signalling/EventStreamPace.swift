/// How the hub's event log is read: by one stream that stays open, or by requests one after the other (long polling), for
/// clients behind something that holds streams back.
public enum EventStreamPace {
  /// Seconds after which the hub writes a comment where there are no events, and answers a request that polls: less than
  /// the idle limits of load balancers, of which 10 s is a short one.
  public static let longestSilence = 8
  /// The query of a request that polls: empty in the first, then what ``HelloEvent/eventStreamID`` named.
  public static let pollQuery = "poll"
}
