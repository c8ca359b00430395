public import Signalling

/// What a user asks of a device.
public struct ContentRequest: Sendable {
  public var requester: Principal
  public var device: Principal
  public var content: DeviceContent

  public init(requester: Principal, device: Principal, content: DeviceContent) {
    self.requester = requester
    self.device = device
    self.content = content
  }

  /// The event by which the device learns of it. `uploadID` must be unguessable.
  public func event(uploadID: String, _ limits: HubLimits) -> RequestEvent {
    var event = RequestEvent(
      uploadID: uploadID, path: content.path, range: content.range, maximumBytes: content.kind.maximumBytes(limits))
    if let token = content.requesterToken {
      event.requester = ContentRequester(
        userID: requester.userID, role: requester.role.rawValue, groups: requester.groups.sorted(), token: token)
    }
    return event
  }
}

/// Pairs requests for archives, images and events with the uploads by which devices answer them.
///
/// Each upload id is good for one upload by one device; a request that no device answers in time is given up.
public struct ArchiveBroker: Sendable {
  private struct Transfer {
    var deviceID: String
    var requesterID: String
    /// Nil once the upload has begun.
    var deadline: Instant?
  }

  private let limits: HubLimits
  private var transfers: [String: Transfer] = [:]

  public init(limits: HubLimits) {
    self.limits = limits
  }

  public var transferCount: Int { transfers.count }

  /// Begins a transfer; returns the event for the device. `uploadID` must be unguessable.
  mutating func begin(_ request: ContentRequest, uploadID: String, now: Instant) throws(HubRefusal) -> RequestEvent {
    let running = transfers.values.count { $0.requesterID == request.requester.userID }
    guard running < limits.archiveTransfersPerUser else { throw .tooMany("archive transfers", retryAfter: 5) }
    transfers[uploadID] = Transfer(
      deviceID: request.device.userID, requesterID: request.requester.userID,
      deadline: now + limits.archiveStartTimeout)
    return request.event(uploadID: uploadID, limits)
  }

  /// The device's upload begins. A second one, or one by another client, finds nothing.
  mutating func claim(uploadID: String, by userID: String) throws(HubRefusal) {
    guard let transfer = transfers[uploadID], transfer.deviceID == userID, transfer.deadline != nil else {
      throw .notFound("no such upload")
    }
    transfers[uploadID]?.deadline = nil
  }

  mutating func finish(uploadID: String) {
    transfers[uploadID] = nil
  }

  /// Gives up what no device has answered; returns the upload ids.
  mutating func expire(now: Instant) -> [String] {
    let overdue = transfers.filter { $0.value.deadline.map { $0 <= now } ?? false }.map(\.key)
    for uploadID in overdue { transfers[uploadID] = nil }
    return overdue
  }
}
