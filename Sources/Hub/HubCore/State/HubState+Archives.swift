import Signalling

extension HubState {
  /// Asks a device for something of its archives, or for a picture; the event goes to the device.
  ///
  /// Recordings show every caller of the device, and pictures what nobody has called for, so only operators and the device
  /// itself get them.
  public mutating func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String, now: Instant
  ) throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else { throw content.refusal }
    guard let device = directory[deviceID], device.principal.sharesGroup(with: requester),
      logs.isReachable(deviceID, now: now, grace: limits.reachabilityGrace)
    else { throw .receiverOffline }
    guard device.principal.role == .device else { throw content.absence }
    if let wait = takeRequest(content, requester.userID, now: now) {
      throw .tooMany(content == .snapshot ? "pictures" : "archive requests", retryAfter: wait)
    }
    let request = ContentRequest(requester: requester, device: device.principal, content: content)
    let event = try archives.begin(request, uploadID: uploadID, now: now)
    counters.archiveTransfers += 1
    publish(.request(event), to: [deviceID], now: now)
  }

  private mutating func takeRequest(_ content: DeviceContent, _ userID: String, now: Instant) -> Int? {
    content == .snapshot ? snapshotLimiter.take(userID, now: now) : archiveLimiter.take(userID, now: now)
  }

  public mutating func claimUpload(_ uploadID: String, by userID: String) throws(HubRefusal) {
    try archives.claim(uploadID: uploadID, by: userID)
  }

  public mutating func finishUpload(_ uploadID: String) {
    archives.finish(uploadID: uploadID)
  }
}
