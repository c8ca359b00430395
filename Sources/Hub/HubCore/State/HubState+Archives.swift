import Signalling

extension HubState {
  /// Asks a device for something of its archives, for a snapshot or events; the event goes to the device.
  ///
  /// Recordings show every caller of the device, snapshots and events also what happens without calls, so only
  /// operators and the device itself get them.
  public mutating func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String, now: Instant
  ) throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else { throw content.kind.refusal }
    guard let device = directory[deviceID], device.principal.sharesGroup(with: requester),
      logs.isReachable(deviceID, now: now, grace: limits.reachabilityGrace)
    else { throw .receiverOffline }
    guard device.principal.role == .device else { throw content.kind.absence }
    if let wait = contentLimiters[content.kind]?.take(requester.userID, now: now) {
      throw .tooMany(content.kind.requests, retryAfter: wait)
    }
    let request = ContentRequest(requester: requester, device: device.principal, content: content)
    let event = try archives.begin(request, uploadID: uploadID, now: now)
    counters.archiveTransfers += 1
    publish(.request(event), to: [deviceID], now: now)
  }

  public mutating func claimUpload(_ uploadID: String, by userID: String) throws(HubRefusal) {
    try archives.claim(uploadID: uploadID, by: userID)
  }

  public mutating func finishUpload(_ uploadID: String) {
    archives.finish(uploadID: uploadID)
  }
}
