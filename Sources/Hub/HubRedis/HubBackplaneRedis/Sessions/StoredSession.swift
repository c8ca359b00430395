internal import FoundationEssentials
internal import HubCore
internal import RedisClient
internal import Signalling

/// A session as Redis has it.
struct StoredSession {
  /// Of the record's form; nodes of two versions share one Redis while they are exchanged.
  static let format = 1

  /// Goes up by one with each change.
  var version: UInt64
  /// Nil for one that was ended before it was placed.
  var session: CallSession?
  /// The last change's notifications, until they are delivered.
  var outbox: [OutgoingEvent]
  /// What the last change has push subscriptions sent; part of the outbox.
  var push: PushOrder?
  /// Whether the last change has ended the session.
  var isEnd = false
  /// Nothing of ``outbox`` is left to be delivered.
  var isReported = false

  private struct Record: Codable {
    var format: Int
    var session: CallSession.Record?
    var outbox: [OutgoingEvent]
    var push: PushOrder?
    /// Absent in records of earlier versions.
    var isEnd: Bool?
  }

  init(
    version: UInt64, session: CallSession?, outbox: [OutgoingEvent], push: PushOrder? = nil, isEnd: Bool = false
  ) {
    (self.version, self.session, self.outbox) = (version, session, outbox)
    (self.push, self.isEnd) = (push, isEnd)
  }

  /// Nil for what is not there, or not of a form that this version reads.
  init?(version: RedisValue, record: RedisValue, told: RedisValue, clock: SharedClock) {
    guard let text = record.nonEmptyText, let version = version.text.flatMap({ UInt64($0) }),
      let record = try? JSONDecoder().decode(Record.self, from: Data(text.utf8)), record.format == Self.format
    else { return nil }
    let session = record.session.map { CallSession($0, instant: clock.instant(at:)) }
    self.init(
      version: version, session: session, outbox: record.outbox, push: record.push, isEnd: record.isEnd ?? false)
    isReported = told.integer == Int64(exactly: version)
  }

  func text(_ clock: SharedClock) -> String {
    let record = Record(
      format: Self.format, session: session?.record(milliseconds: clock.milliseconds(at:)), outbox: outbox, push: push,
      isEnd: isEnd ? true : nil)
    guard let data = try? JSONEncoder().encode(record) else { preconditionFailure("a session cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  /// What names the delivery of ``outbox``.
  func mark(_ id: SessionID) -> String { "\(id):\(version)" }
}
