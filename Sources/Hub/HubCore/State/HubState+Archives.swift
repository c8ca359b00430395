import Signalling

extension HubState {
  /// Asks a device for something of its archives; the event goes to the device.
  ///
  /// Recordings show every caller of the device, so only operators and the device itself get them.
  ///
  /// - Parameter wanted: what is read, and the `Range` header as it came.
  public mutating func requestArchive(
    _ wanted: (path: ArchivePath, range: String?), of deviceID: String, by requester: Principal, uploadID: String,
    now: Instant
  ) throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else {
      throw .notAllowed("archives are for operators")
    }
    guard let device = directory[deviceID], device.principal.sharesGroup(with: requester),
      logs.isReachable(deviceID, now: now, grace: limits.reachabilityGrace)
    else { throw .receiverOffline }
    guard device.principal.role == .device else { throw .notFound("this user has no archives") }
    if let wait = archiveLimiter.take(requester.userID, now: now) {
      throw .tooMany("archive requests", retryAfter: wait)
    }
    let request = ArchiveRequest(requester: requester, device: device.principal, path: wanted.path, range: wanted.range)
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
