/// Calls that are over.
public protocol CallStore: Sendable {
  /// Keeps the records of a call, where they are not there yet; of a user's the oldest beyond
  /// ``CallRecord/maximumPerUser`` go.
  ///
  /// - Returns: the owners of those that are new.
  func insertCalls(_ records: [CallRecord]) async throws -> Set<String>
  /// The records of a user, or of all (nil), the newest first; a call of two parties is there twice then.
  ///
  /// Leaves out those that a newer version has written and this one cannot read.
  ///
  /// - Parameter place: only what comes before it; nil: from the newest on.
  func calls(ofUser userID: String?, before place: CallPlace?, limit: Int) async throws -> [CallRecord]
  /// Missed calls that ended after what the user has seen.
  func missedCallCount(ofUser userID: String) async throws -> Int
  /// Notes that the user has seen the calls that ended until a time, in milliseconds since 1970; it never goes back.
  func noteCallsSeen(until time: Int64, byUser userID: String) async throws
  /// Forgets calls that ended before a time, and the oldest beyond a number.
  func trimCalls(endedBefore time: Int64, maximum: Int) async throws
}
