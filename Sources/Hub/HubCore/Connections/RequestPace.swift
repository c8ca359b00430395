/// For how long a connection may keep the hub waiting for a request.
///
/// A request has to be whole within a time that counts from its first byte, or from the end of the response before it. An
/// upload may last, but has to bring a minimum while the hub waits for it: a slow reader of an archive slows its
/// upload down, and that time does not count. Between requests, and before the first, a connection may idle for a while.
public struct RequestPace: Sendable {
  public enum Verdict: Equatable, Sendable {
    case wait
    /// There is nothing to answer: nothing was sent, or the answer to a request that was too slow does not leave.
    case close
    /// Said once; the connection has to be closed.
    case requestTimedOut
  }

  private enum Phase {
    case idle(since: Instant)
    case request(since: Instant)
    case upload(UploadWindow)
    case timedOut(since: Instant)
  }

  private let limits: ConnectionLimits
  private var phase: Phase
  private var isFresh = true
  private var hasHead = false
  /// Requests whose head has come and whose response has not ended.
  private var unanswered = 0

  public init(limits: ConnectionLimits, now: Instant) {
    self.limits = limits
    phase = .idle(since: now)
  }

  public mutating func received(_ byteCount: Int, now: Instant) {
    switch phase {
    case .idle: phase = .request(since: now)
    case .request, .timedOut: break
    case .upload(var window):
      window.received(byteCount, now: now)
      phase = .upload(window)
    }
  }

  /// The hub wants to read on.
  public mutating func wanted(now: Instant) {
    guard case .upload(var window) = phase else { return }
    window.wanted(now: now)
    phase = .upload(window)
  }

  public mutating func headEnded(isUpload: Bool, now: Instant) {
    unanswered += 1
    hasHead = true
    if isUpload, !isTimedOut { phase = .upload(UploadWindow(now: now)) }
  }

  public mutating func requestEnded(now: Instant) {
    isFresh = false
    hasHead = false
    if !isTimedOut { phase = .idle(since: now) }
  }

  public mutating func responseEnded(now: Instant) {
    unanswered -= 1
    switch phase {
    case .idle: phase = .idle(since: now)
    case .request: phase = .request(since: now)
    case .upload, .timedOut: break
    }
  }

  /// When ``check(now:)`` is due unless something happens before.
  public var deadline: Instant? {
    switch phase {
    case .idle(let since): isBusy ? nil : since + (isFresh ? limits.requestTimeout : limits.idleTimeout)
    case .request(let since): isBusy ? nil : since + limits.requestTimeout
    case .upload(let window): window.deadline(limits.stallTimeout)
    case .timedOut(let since): since + limits.stallTimeout
    }
  }

  public mutating func check(now: Instant) -> Verdict {
    guard let deadline, deadline <= now else { return .wait }
    switch phase {
    case .idle, .timedOut: return .close
    case .request: return timeOut(now: now)
    case .upload(var window):
      guard window.isEnough(limits, now: now) else { return timeOut(now: now) }
      phase = .upload(window)
      return .wait
    }
  }

  private mutating func timeOut(now: Instant) -> Verdict {
    phase = .timedOut(since: now)
    return .requestTimedOut
  }

  private var isTimedOut: Bool { if case .timedOut = phase { true } else { false } }

  /// Whether responses are under way before which nothing that is being read now can be answered.
  private var isBusy: Bool { unanswered > (hasHead ? 1 : 0) }
}

/// What an upload has brought in the time during which the hub has waited for it.
private struct UploadWindow {
  private var waited: Duration = .zero
  private var waitingSince: Instant?
  private var byteCount = 0

  init(now: Instant) {
    waitingSince = now
  }

  mutating func wanted(now: Instant) {
    if waitingSince == nil { waitingSince = now }
  }

  mutating func received(_ count: Int, now: Instant) {
    if let waitingSince { waited += waitingSince.duration(to: now) }
    waitingSince = nil
    byteCount += count
  }

  func deadline(_ length: Duration) -> Instant? { waitingSince.map { $0 + (length - waited) } }

  /// Begins a new window when this one brought enough.
  mutating func isEnough(_ limits: ConnectionLimits, now: Instant) -> Bool {
    guard byteCount >= limits.uploadRate * Int(limits.stallTimeout.components.seconds) else { return false }
    self = UploadWindow(now: now)
    return true
  }
}
