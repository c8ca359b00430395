/// One condition of a rule.
public enum PolicyCondition: Sendable, Hashable {
  /// The caller is one of these.
  case caller([CallerPattern])
  /// The caller asks for at least these media.
  case media(audio: Bool, video: Bool)
  /// The local time lies within one of these hours. Unknown while the clock is not trusted, or without a zone's file.
  case hours([WeeklyHours])
  /// The caller's maximum distance in metres. A convenience against mistakes, since callers report their own place;
  /// unknown while either place is.
  case within(metres: Double)
  /// A call is already up, or none is.
  case callUp(Bool)
  /// The same caller has called at least `count` times within the last `span`.
  case recentCalls(count: Int, span: Duration)
}

extension PolicyCondition {
  /// Why the condition may be unknown at times; nil for one that never is.
  public var uncertainty: String? {
    switch self {
    case .hours: "the clock is not synchronised"
    case .within: "the distance is unknown"
    case .caller, .media, .callUp, .recentCalls: nil
    }
  }

  /// Whether the condition holds, and the sentence that explains it.
  func check(_ request: CallRequest, _ circumstances: CallCircumstances) -> ConditionCheck {
    switch self {
    case .caller(let patterns): Self.checkCaller(patterns, request)
    case .media(let audio, let video): Self.checkMedia(audio: audio, video: video, request)
    case .hours(let hours): Self.checkHours(hours, circumstances.localTimes)
    case .within(let metres): Self.checkDistance(metres, request)
    case .callUp(let isUp): Self.checkCalls(isUp, circumstances)
    case .recentCalls(let count, let span): Self.checkRecentCalls(count, span, circumstances)
    }
  }

  private static func checkCaller(_ patterns: [CallerPattern], _ request: CallRequest) -> ConditionCheck {
    if let pattern = patterns.first(where: { $0.matches(request) }) { return .init(true, "caller is \(pattern)") }
    return .init(false, "caller is not \(patterns.map { $0.description }.joined(separator: " or "))")
  }

  private static func checkMedia(audio: Bool, video: Bool, _ request: CallRequest) -> ConditionCheck {
    if audio && !request.isAudio { return .init(false, "audio is not asked for") }
    if video && !request.isVideo { return .init(false, "video is not asked for") }
    let media = [audio ? "audio" : nil, video ? "video" : nil].compactMap { $0 }
    return .init(true, "\(media.joined(separator: " and ")) asked for")
  }

  /// One span that holds suffices; one that is unknown leaves open whether there is such a span.
  static func checkHours(_ hours: [WeeklyHours], _ localTimes: [PolicyTimeZone: LocalTime]) -> ConditionCheck {
    let checks = hours.map { checkHours($0, localTimes[$0.timeZone]) }
    if let met = checks.first(where: { $0.outcome == .met }) { return met }
    if let unknown = checks.first(where: { $0.outcome == .unknown }) { return unknown }
    return .init(false, checks.map { $0.text }.joined(separator: ", "))
  }

  private static func checkHours(_ span: WeeklyHours, _ time: LocalTime?) -> ConditionCheck {
    guard let time else { return .init(unknown: "the local time for \(span.text) is unknown") }
    guard time.isClockTrusted else { return .init(unknown: "the clock is not synchronised") }
    let now = "\(time.weekday.shortName) \(clockText(time.minuteOfDay))"
    let isWithin = span.contains(time)
    return .init(isWithin, "\(now) is \(isWithin ? "within" : "outside") \(span.text)")
  }

  private static func checkDistance(_ metres: Double, _ request: CallRequest) -> ConditionCheck {
    guard let distance = request.distance, !distance.isNaN else { return .init(unknown: "the distance is unknown") }
    let isNear = distance <= metres
    return .init(isNear, "\(kilometres(distance)) away, \(isNear ? "within" : "beyond") \(kilometres(metres))")
  }

  private static func checkCalls(_ isUp: Bool, _ circumstances: CallCircumstances) -> ConditionCheck {
    circumstances.callsUp > 0
      ? .init(isUp, "\(circumstances.callsUp) call(s) already up") : .init(!isUp, "no call is up")
  }

  private static func checkRecentCalls(
    _ count: Int, _ span: Duration, _ circumstances: CallCircumstances
  ) -> ConditionCheck {
    let recent = circumstances.recentCalls.count { $0 <= span }
    return .init(
      recent >= count, "\(recent) call(s) from this caller in the last \(durationText(span)), \(count) needed")
  }

  private static func kilometres(_ metres: Double) -> String {
    "\((metres / 100).rounded() / 10) km"
  }
}
