/// One thing that a rule looks at.
public enum PolicyCondition: Sendable, Hashable {
  /// The caller is one of these.
  case caller([CallerPattern])
  /// The caller asks for at least these media.
  case media(audio: Bool, video: Bool)
  /// The local time lies within one of these hours. Never true while the clock is not trusted.
  case hours([WeeklyHours])
  /// The caller is at most so many metres away. A convenience against mistakes, since callers report their own place;
  /// never true while the distance is unknown.
  case within(metres: Double)
  /// A call is already up, or none is.
  case callUp(Bool)
  /// The same caller has called at least `count` times within the last `span`.
  case recentCalls(count: Int, span: Duration)
}

extension PolicyCondition {
  /// Whether the condition holds, and the sentence that explains it.
  func check(_ request: CallRequest, _ circumstances: CallCircumstances) -> (isMet: Bool, text: String) {
    switch self {
    case .caller(let patterns): Self.checkCaller(patterns, request)
    case .media(let audio, let video): Self.checkMedia(audio: audio, video: video, request)
    case .hours(let hours): Self.checkHours(hours, circumstances)
    case .within(let metres): Self.checkDistance(metres, request)
    case .callUp(let isUp):
      circumstances.callsUp > 0
        ? (isUp, "\(circumstances.callsUp) call(s) already up") : (!isUp, "no call is up")
    case .recentCalls(let count, let span): Self.checkRecentCalls(count, span, circumstances)
    }
  }

  private static func checkCaller(_ patterns: [CallerPattern], _ request: CallRequest) -> (Bool, String) {
    if let pattern = patterns.first(where: { $0.matches(request) }) { return (true, "caller is \(pattern)") }
    return (false, "caller is not \(patterns.map(\.description).joined(separator: " or "))")
  }

  private static func checkMedia(audio: Bool, video: Bool, _ request: CallRequest) -> (Bool, String) {
    if audio && !request.isAudio { return (false, "audio is not asked for") }
    if video && !request.isVideo { return (false, "video is not asked for") }
    let media = [audio ? "audio" : nil, video ? "video" : nil].compactMap(\.self)
    return (true, "\(media.joined(separator: " and ")) asked for")
  }

  private static func checkHours(_ hours: [WeeklyHours], _ circumstances: CallCircumstances) -> (Bool, String) {
    var reasons: [String] = []
    for span in hours {
      guard let time = circumstances.localTimes[span.timeZone] else {
        reasons.append("the local time for \(span.text) is unknown")
        continue
      }
      guard time.isClockTrusted else { return (false, "the clock is not synchronised") }
      let now = "\(time.weekday.shortName) \(clockText(time.minuteOfDay))"
      if span.contains(time) { return (true, "\(now) is within \(span.text)") }
      reasons.append("\(now) is outside \(span.text)")
    }
    return (false, reasons.joined(separator: ", "))
  }

  private static func checkDistance(_ metres: Double, _ request: CallRequest) -> (Bool, String) {
    guard let distance = request.distance else { return (false, "the distance is unknown") }
    let isNear = distance <= metres
    return (isNear, "\(kilometres(distance)) away, \(isNear ? "within" : "beyond") \(kilometres(metres))")
  }

  private static func checkRecentCalls(
    _ count: Int, _ span: Duration, _ circumstances: CallCircumstances
  ) -> (Bool, String) {
    let recent = circumstances.recentCalls.count { $0 <= span }
    return (recent >= count, "\(recent) call(s) from this caller in the last \(durationText(span)), \(count) needed")
  }

  private static func kilometres(_ metres: Double) -> String {
    "\((metres / 100).rounded() / 10) km"
  }
}
