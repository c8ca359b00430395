internal import HubCore
internal import RedisClient
internal import Signalling

/// Who may ask whom for archives and pictures.
struct SharedArchives: Sendable {
  let node: NodeContext
  let rendezvous: ArchiveRendezvous
  let publisher: EventPublisher

  func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else { throw content.refusal }
    let isSnapshot = content == .snapshot
    let replies = try await node.link.run([
      PresenceStore.peek(deviceID, within: node.limits.reachabilityGrace),
      RateLimits.take(
        isSnapshot ? "snapshot" : "archive", requester.userID, perMinute: content.requestsPerMinute(node.limits)),
    ])
    guard replies[0][0].integer == 1, let device = StoredPresence(replies[0][1])?.principal,
      device.sharesGroup(with: requester)
    else { throw .receiverOffline }
    guard device.role == .device else { throw content.absence }
    if let wait = replies[1].integer, wait > 0 {
      throw .tooMany(isSnapshot ? "pictures" : "archive requests", retryAfter: Int(clamping: wait))
    }
    let request = ContentRequest(requester: requester, device: device, content: content)
    let event = try await rendezvous.begin(request, uploadID: uploadID)
    node.counters.note { $0.archiveTransfers += 1 }
    try await publisher.publish([Delivery(userID: deviceID, event: .request(event))])
  }
}
