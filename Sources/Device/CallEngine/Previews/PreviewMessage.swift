import FoundationEssentials
import Signalling

/// What a device sends about a preview.
enum PreviewMessage: Sendable, Equatable {
  case offer(String)
  case candidates([String])
  case end(PreviewEndReason)

  /// The signal; nil where the hub would not take it for its length.
  func signal(of id: SessionID) -> SessionSignal? {
    switch self {
    case .offer(let sdp): Self.signal(PreviewSignal.offer, PreviewDescription(id: id, sdp: sdp))
    case .candidates(let candidates):
      Self.signal(
        PreviewSignal.candidates,
        PreviewCandidates(
          id: id,
          candidates: candidates.map { SessionCandidates.Candidate(candidate: $0, sdpMid: nil, sdpMLineIndex: 0) }))
    case .end(let reason): Self.signal(PreviewSignal.end, PreviewEnd(id: id, reason: reason.rawValue))
    }
  }

  private static func signal(_ type: String, _ content: some Encodable) -> SessionSignal? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(content), data.count <= MessageLimits.signalData else { return nil }
    return SessionSignal(type: type, data: String(decoding: data, as: UTF8.self))
  }
}

/// What a page sends about a preview.
enum PreviewRequest: Sendable {
  case begin(SessionID)
  case answer(SessionID, sdp: String)
  case candidates(SessionID, [String])
  case end(SessionID)

  /// Nil for other signals, and for those that are malformed.
  init?(_ signal: SignalEvent) {
    guard signal.data.utf8.count <= MessageLimits.signalData else { return nil }
    let data = Data(signal.data.utf8)
    func decode<Content: Decodable>(_ type: Content.Type) -> Content? { try? JSONDecoder().decode(type, from: data) }
    switch signal.type {
    case PreviewSignal.begin:
      guard let mark = decode(PreviewMark.self) else { return nil }
      self = .begin(mark.id)
    case PreviewSignal.answer:
      guard let answer = decode(PreviewDescription.self) else { return nil }
      self = .answer(answer.id, sdp: answer.sdp)
    case PreviewSignal.candidates:
      guard let list = decode(PreviewCandidates.self) else { return nil }
      self = .candidates(list.id, list.candidates.map(\.candidate))
    case PreviewSignal.end:
      guard let mark = decode(PreviewMark.self) else { return nil }
      self = .end(mark.id)
    default: return nil
    }
  }
}
