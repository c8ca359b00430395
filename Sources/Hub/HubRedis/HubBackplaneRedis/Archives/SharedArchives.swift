internal import HubCore
internal import RedisClient
internal import Signalling

/// The limits of requests for archives, images and events.
struct SharedArchives: Sendable {
  let node: NodeContext
  let rendezvous: ArchiveRendezvous
  let publisher: EventPublisher

  func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else { throw content.kind.refusal }
    let kind = content.kind
    let replies = try await node.link.run([
      PresenceStore.peek(deviceID, within: node.limits.reachabilityGrace),
      RateLimits.take(kind.rawValue, requester.userID, perMinute: kind.requestsPerMinute(node.limits)),
    ])
    guard replies[0][0].integer == 1, let device = StoredPresence(replies[0][1])?.principal,
      device.sharesGroup(with: requester)
    else { throw .receiverOffline }
    guard device.role == .device else { throw kind.absence }
    if let wait = replies[1].integer, wait > 0 {
      throw .tooMany(kind.requests, retryAfter: Int(clamping: wait))
    }
    let request = ContentRequest(requester: requester, device: device, content: content)
    let event = try await rendezvous.begin(request, uploadID: uploadID)
    node.counters.note { $0.archiveTransfers += 1 }
    try await publisher.publish([Delivery(userID: deviceID, event: .request(event))])
  }
}
