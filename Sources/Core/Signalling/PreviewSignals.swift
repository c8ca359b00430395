/// The types of signals by which a person who is called sees what the device sees before answering. Their data are JSON
/// objects of the structures below, and each names its preview by an id that the person's page has chosen: of several
/// pages each has its own. A hub passes them on like chat.
///
/// ```
/// page                                device
///   |--- preview.begin ----------------->|   while it rings
///   |<-- preview.offer ------------------|   sends only; or preview.end
///   |--- preview.answer ---------------->|
///   |<-- preview.candidates ------------>|
///   |<-- preview.end ------------------->|
/// ```
///
/// A preview has a transport of its own, so the call itself is answered as if there were none.
public enum PreviewSignal {
  /// To the device: ``PreviewMark``.
  public static let begin = "preview.begin"
  /// From the device: ``PreviewDescription``.
  public static let offer = "preview.offer"
  /// To the device: ``PreviewDescription``.
  public static let answer = "preview.answer"
  /// Both ways: ``PreviewCandidates``.
  public static let candidates = "preview.candidates"
  /// Both ways: ``PreviewEnd``.
  public static let end = "preview.end"
}

/// Names a preview.
public struct PreviewMark: Codable, Sendable, Hashable {
  public var id: SessionID

  public init(id: SessionID) { self.id = id }
}

public struct PreviewDescription: Codable, Sendable, Hashable {
  public var id: SessionID
  public var sdp: String

  public init(id: SessionID, sdp: String) {
    self.id = id
    self.sdp = sdp
  }
}

public struct PreviewCandidates: Codable, Sendable {
  public var id: SessionID
  public var candidates: [SessionCandidates.Candidate]

  public init(id: SessionID, candidates: [SessionCandidates.Candidate]) {
    self.id = id
    self.candidates = candidates
  }
}

public struct PreviewEnd: Codable, Sendable, Hashable {
  public var id: SessionID
  /// Of the device: `not-offered`, `too-many`, `over` (the call is answered or has ended), `connection-lost`, `failed`
  /// or a later code.
  public var reason: String?

  public init(id: SessionID, reason: String? = nil) {
    self.id = id
    self.reason = reason
  }
}
