internal import Foundation
internal import HubCore
internal import SDP
internal import Signalling

/// A device's answer to a viewer, as events of the session bring it.
struct ViewAnswer {
  /// How far it has come.
  enum Progress: Equatable {
    case waiting
    /// The description is there, and further candidates may be.
    case gathering
    case complete
    /// The device has rejected, or the session has ended, for a reason of the wire's.
    case over(String)
  }

  let sessionID: SessionID
  private(set) var progress = Progress.waiting
  private var sdp = ""
  private var candidates: [String] = []

  init(to sessionID: SessionID) { self.sessionID = sessionID }

  /// Takes one event of the viewer's log; those of other sessions are not its own.
  mutating func take(_ event: LoggedEvent) throws {
    switch event.name {
    case .callAnswered: take(answer: try Self.payload(of: event))
    case .callCandidates: take(candidates: try Self.payload(of: event))
    case .callRejected, .callEnded: take(ending: try Self.payload(of: event))
    case .hello, .callIncoming, .callRinging, .callOffer, .callTaken, .signal, .control, .controlResult, .presence,
      .archiveStarted, .archiveStopped, .callHistory, .request:
      break
    }
  }

  private mutating func take(answer: DescriptionEvent) {
    guard answer.sessionID == sessionID else { return }
    sdp = answer.sdp
    let hasAll = answer.sdp.contains("a=end-of-candidates")
    progress = hasAll || candidates.contains("") ? .complete : .gathering
  }

  private mutating func take(candidates message: CandidatesEvent) {
    guard message.sessionID == sessionID, progress == .waiting || progress == .gathering else { return }
    let room = TrickleFragment.maximumCandidates - candidates.count
    candidates += message.candidates.map(\.candidate).prefix(max(0, room))
    if progress == .gathering, candidates.contains("") { progress = .complete }
  }

  private mutating func take(ending: SessionEndedEvent) {
    guard ending.sessionID == sessionID else { return }
    progress = .over(ending.reason)
  }

  private var gathered: [String] { candidates.filter { Candidate(parsing: $0) != nil } }

  /// The whole description.
  var description: String { gathered.isEmpty ? sdp : DescriptionLines.adding(gathered, to: sdp) }

  /// What it says of ICE; nil where the device's description cannot be read.
  var fragment: TrickleFragment? {
    (try? SessionDescriptionParser.parse(sdp)).map { TrickleFragment($0, more: gathered) }
  }

  private static func payload<Payload: Decodable>(of event: LoggedEvent) throws -> Payload {
    try JSONDecoder().decode(Payload.self, from: Data(event.data.utf8))
  }
}
