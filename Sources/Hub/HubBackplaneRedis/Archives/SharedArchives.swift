internal import HubCore
internal import RedisClient
internal import Signalling

/// Who may ask whom for archives.
struct SharedArchives: Sendable {
  let node: NodeContext
  let rendezvous: ArchiveRendezvous
  let publisher: EventPublisher

  func request(
    _ wanted: (path: ArchivePath, range: String?), of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else {
      throw .notAllowed("archives are for operators")
    }
    let replies = try await node.link.run([
      PresenceStore.peek(deviceID, within: node.limits.reachabilityGrace),
      RateLimits.take("archive", requester.userID, perMinute: node.limits.archiveRequestsPerMinute),
    ])
    guard replies[0][0].integer == 1, let device = StoredPresence(replies[0][1])?.principal,
      device.sharesGroup(with: requester)
    else { throw .receiverOffline }
    guard device.role == .device else { throw .notFound("this user has no archives") }
    if let wait = replies[1].integer, wait > 0 {
      throw .tooMany("archive requests", retryAfter: Int(clamping: wait))
    }
    let request = ArchiveRequest(requester: requester, device: device, path: wanted.path, range: wanted.range)
    let event = try await rendezvous.begin(request, uploadID: uploadID)
    node.counters.note { $0.archiveTransfers += 1 }
    try await publisher.publish([Delivery(userID: deviceID, event: .request(event))])
  }
}
