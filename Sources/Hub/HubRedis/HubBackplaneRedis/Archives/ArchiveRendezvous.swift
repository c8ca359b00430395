internal import HubCore
internal import SystemSupport
internal import RedisClient
internal import Signalling

/// Pairs requests for archives with the uploads by which devices answer them, on whichever node they arrive.
final class ArchiveRendezvous: Sendable {
  /// What is known of an upload everywhere.
  struct Entry: Codable {
    var deviceID: String
    /// Where the asker waits.
    var address: String
    /// By which that node knows that another has checked who the device is: the device's token stays where it came.
    /// Nil from nodes of earlier versions.
    var ticket: String?
  }

  private struct Local {
    var requesterID: String
    var ticket: String
    /// Nil once the upload has begun.
    var deadline: Instant?
  }

  private let link: RedisLink
  private let limits: HubLimits
  private let address: String
  private let waiting = Mutex<[String: Local]>([:])

  /// - Parameter address: of this node, as the others reach it.
  init(link: RedisLink, limits: HubLimits, address: String) {
    self.link = link
    self.limits = limits
    self.address = address
  }

  var count: Int { waiting.withLock { $0.count } }

  /// Begins a transfer whose asker waits on this node; returns the event for the device.
  func begin(_ request: ContentRequest, uploadID: String) async throws(HubRefusal) -> RequestEvent {
    let ticket = Self.makeTicket()
    try waiting.withLock { waiting throws(HubRefusal) in
      let running = waiting.values.count { $0.requesterID == request.requester.userID }
      guard running < limits.archiveTransfersPerUser else { throw .tooMany("archive transfers", retryAfter: 5) }
      waiting[uploadID] = Local(
        requesterID: request.requester.userID, ticket: ticket, deadline: .now + limits.archiveStartTimeout)
    }
    let entry = encode(Entry(deviceID: request.device.userID, address: address, ticket: ticket))
    try await link.run(
      RedisCommand(
        "SET", [RedisKeys.upload(uploadID), entry, "PX", (limits.archiveStartTimeout * 2).inMilliseconds]))
    return request.event(uploadID: uploadID, limits)
  }

  /// Where the upload belongs. A second one, or one by another client, finds nothing.
  func claim(_ uploadID: String, by userID: String) async throws(HubRefusal) -> UploadPlace {
    let key = RedisKeys.upload(uploadID)
    let isHere = waiting.withLock { $0[uploadID] != nil }
    guard let entry: Entry = decode(try await link.run(RedisCommand("GET", [key]))), entry.deviceID == userID else {
      throw .notFound("no such upload")
    }
    guard isHere else {
      guard let ticket = entry.ticket else {
        throw .overloaded("the node that waits for this is of an earlier version", retryAfter: 2)
      }
      return .node(address: entry.address, ticket: ticket)
    }
    try await begin(uploadID)
    return .here
  }

  /// An upload that another node hands on to this one.
  func claim(_ uploadID: String, ticket: String) async throws(HubRefusal) {
    let own = waiting.withLock { $0[uploadID]?.ticket }
    guard let own, constantTimeEqual(own.utf8, ticket.utf8) else { throw .notFound("no such upload") }
    try await begin(uploadID)
  }

  /// Once for each id.
  private func begin(_ uploadID: String) async throws(HubRefusal) {
    guard try await link.run(RedisCommand("DEL", [RedisKeys.upload(uploadID)])).integer == 1 else {
      throw .notFound("no such upload")
    }
    waiting.withLock { $0[uploadID]?.deadline = nil }
  }

  /// 256 bits of the system's random numbers.
  private static func makeTicket() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in String(random.next() as UInt64, radix: 36) }.joined(separator: "-")
  }

  func finish(_ uploadID: String) { waiting.withLock { $0[uploadID] = nil } }

  /// Gives up what no device has answered; returns the upload ids.
  func expire(now: Instant) -> [String] {
    waiting.withLock { waiting in
      let overdue = waiting.filter { $0.value.deadline.map { $0 <= now } ?? false }.map(\.key)
      for uploadID in overdue { waiting[uploadID] = nil }
      return overdue
    }
  }
}
