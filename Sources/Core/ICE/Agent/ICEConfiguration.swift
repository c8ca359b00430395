public import MediaCore

/// Which side decides which pair is used (RFC 8445 §6.1.1).
public enum ICERole: Sendable, Hashable {
  case controlling
  case controlled

  var opposite: ICERole { self == .controlling ? .controlled : .controlling }
}

/// Times and limits of an ``ICEAgent``; the defaults are those of the RFCs where they give any.
public struct ICEConfiguration: Sendable {
  /// Ta: between two new checks (RFC 8445 §14.2).
  public var pacing = TimeSpan.milliseconds(50)
  /// RTO's lower bound (RFC 8445 §14.3).
  public var minimumRetransmissionTimeout = TimeSpan.milliseconds(500)
  /// RTO stops doubling here: waiting longer helps no call.
  public var maximumRetransmissionTimeout = TimeSpan.seconds(2)
  /// Transmissions of one check, the first included.
  public var maximumTransmissions = 7
  /// Between two consent checks, before randomisation by ±20 % (RFC 7675 §5.1).
  public var consentInterval = TimeSpan.seconds(5)
  /// How long without an answer until the peer's consent expires.
  public var consentTimeout = TimeSpan.seconds(30)
  /// How long the controlling side waits for a better pair after the first success.
  public var nominationDelay = TimeSpan.milliseconds(100)
  /// How long after selecting a pair only a better one replaces it: an aggressive nominator is still choosing.
  public var settlingTime = TimeSpan.seconds(3)
  /// How long media over the selected pair may stop before the pair is suspected, and all are checked.
  public var quietTime = TimeSpan.milliseconds(1_200)
  /// How long a consent check may stay unanswered before the pair is suspected as well.
  public var answerTime = TimeSpan.seconds(1)
  /// A selected pair that is silent for this long, while another one answers, is given up,
  public var suspicionTime = TimeSpan.seconds(2)
  /// and so soon already if the peer's media comes over the other one.
  public var diversionTime = TimeSpan.milliseconds(500)
  /// A silence of this length is reported, since no path answers. A pair that answers no checks for that long is given
  /// up for another one although media comes over it.
  public var silenceTime = TimeSpan.seconds(5)
  /// How long without a selected pair until the agent fails.
  public var connectTimeout = TimeSpan.seconds(30)

  /// The defaults.
  public init() {}
}
