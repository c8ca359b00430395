import Signalling

extension CallSession {
  /// A session as stored outside of memory. Times are milliseconds of the store's clock.
  public struct Record: Codable, Sendable {
    fileprivate enum State: String, Codable {
      case calling, ringing, answered, ended
    }

    fileprivate var id: SessionID
    fileprivate var caller: Principal
    fileprivate var receiver: Principal
    fileprivate var callerRole: SessionRole
    fileprivate var receiverRole: SessionRole
    fileprivate var receiverToken: String
    fileprivate var createdAt: Int64
    fileprivate var request: RequestMark
    fileprivate var state: State
    fileprivate var isCallerOffering: Bool?
    fileprivate var endedAt: Int64?
    fileprivate var incoming: IncomingCallEvent?
    fileprivate var lastAnswer: String?
    fileprivate var offerNumber: Int
    fileprivate var hasReceiverResponded: Bool
    /// Absent in records of earlier versions.
    fileprivate var phones: PhoneAlert?
    fileprivate var progress: CallProgress?
    fileprivate var view: CallView?
    fileprivate var endsAt: Int64?
  }

  public func record(milliseconds: (Instant) -> Int64) -> Record {
    Record(
      id: id, caller: caller, receiver: receiver, callerRole: callerRole, receiverRole: receiverRole,
      receiverToken: parties.receiverToken, createdAt: milliseconds(createdAt), request: request, state: recordedState,
      isCallerOffering: offering.map { $0 == .caller }, endedAt: endedAt.map(milliseconds), incoming: incoming,
      lastAnswer: lastAnswer, offerNumber: offerNumber, hasReceiverResponded: hasReceiverResponded, phones: phones,
      progress: progress, view: view, endsAt: endsAt.map(milliseconds))
  }

  public init(_ record: Record, instant: (Int64) -> Instant) {
    id = record.id
    parties = SessionParties(
      caller: record.caller, receiver: record.receiver, callerRole: record.callerRole,
      receiverRole: record.receiverRole, receiverToken: record.receiverToken)
    createdAt = instant(record.createdAt)
    request = record.request
    (lastAnswer, offerNumber) = (record.lastAnswer, record.offerNumber)
    hasReceiverResponded = record.hasReceiverResponded
    (phones, progress) = (record.phones, record.progress)
    (view, endsAt) = (record.view, record.endsAt.map(instant))
    state = Self.state(of: record, instant: instant)
    incoming = record.incoming
  }

  private var offering: Party? {
    if case .answered(let offering) = state { offering } else { nil }
  }

  private var recordedState: Record.State {
    switch state {
    case .calling: .calling
    case .ringing: .ringing
    case .answered: .answered
    case .ended: .ended
    }
  }

  private static func state(of record: Record, instant: (Int64) -> Instant) -> State {
    switch record.state {
    case .calling: .calling
    case .ringing: .ringing
    case .answered: .answered(offering: record.isCallerOffering.map { $0 ? .caller : .receiver })
    case .ended: .ended(at: instant(record.endedAt ?? record.createdAt))
    }
  }
}
