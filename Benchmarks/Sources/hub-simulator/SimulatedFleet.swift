import HubCore
import Signalling
import Synchronization
import TestSupport

/// All devices and people, and what they do at the hub.
final class SimulatedFleet: Sendable {
  private let hub: SimulatedHub
  private let options: SimulatorOptions
  /// Where each device's stream is; sequence numbers, since a device that returns has another.
  private let places: Mutex<[Place]>

  private struct Place {
    var node: Int
    var opening: UInt32 = 0
    var location: UserLocation
  }

  init(_ hub: SimulatedHub, _ options: SimulatorOptions) {
    (self.hub, self.options) = (hub, options)
    var random = SeededGenerator(seed: options.seed)
    places = Mutex(
      (0..<options.devices).map { number in
        Place(
          node: number % options.nodes,
          location: UserLocation(
            latitude: .random(in: 47...55, using: &random), longitude: .random(in: 6...15, using: &random)))
      })
  }

  // MARK: What they do

  /// A device opens its stream, at the node where it was or at another, and tells where it is.
  func connect(_ device: Int, at node: Int? = nil) async throws {
    let (node, location) = places.withLock { places in
      places[device].opening += 1
      places[device].node = node ?? places[device].node
      return (places[device].node, places[device].location)
    }
    let principal = principal(of: device)
    _ = try await hub[node].openStream(streamID(of: device), for: principal, lastEventID: nil)
    try await announce(device, at: location)
  }

  /// A heartbeat without news.
  func renew(_ device: Int) async throws { try await announce(device, at: nil) }

  func move(_ device: Int) async throws {
    let location = places.withLock { places in
      places[device].location.latitude += Double.random(in: -0.001...0.001)
      places[device].location.longitude += Double.random(in: -0.001...0.001)
      return places[device].location
    }
    try await announce(device, at: location)
  }

  /// Asks for who is within 50 km of a device.
  func nearby(_ device: Int) async throws {
    let (node, location) = places.withLock { ($0[device].node, $0[device].location) }
    let query = NearbyQuery(origin: location, within: 50_000, limit: 20)
    _ = try await hub[node].nearby(query, asker: principal(of: device))
  }

  /// A whole call to the next device of the group: offer, ringing, answer, end. Returns the time from offer to event.
  func call(_ device: Int, number: Int) async throws -> Duration {
    let other = (device + options.groups) % options.devices
    let id = SessionID("call-\(options.seed)-\(number)")!
    let (caller, receiver) = (principal(of: device), principal(of: other))
    let (here, there) = places.withLock { (hub[$0[device].node], hub[$0[other].node]) }
    let begin = ContinuousClock.now
    try await hub.waitForWakeup(of: streamID(of: other)) {
      try await place(id, from: caller, to: receiver, at: here)
    }
    let duration = begin.duration(to: .now)
    try await there.receive(.ringing, in: id, from: receiver)
    try await there.receive(.answer(SessionDescription(sdp: Self.description)), in: id, from: receiver)
    try await here.receive(.end(nil), in: id, from: caller)
    return duration
  }

  /// Spreads operations over all devices and groups.
  func device(_ number: Int) -> Int { Int(UInt(bitPattern: number &* 7_919) % UInt(options.devices)) }

  /// Devices whose stream was at a node.
  func devices(at node: Int) -> [Int] {
    places.withLock { places in places.indices.filter { places[$0].node == node } }
  }

  // MARK: Parts

  private static let description = String(
    repeating: "a=candidate:1 1 udp 2113937151 192.0.2.1 50000 typ host", count: 40)

  private func announce(_ device: Int, at location: UserLocation?) async throws {
    let update = PresenceUpdate(
      userLocation: location, kind: .device, isAudio: true, isVideo: true, eventStreamID: streamID(of: device),
      sessions: [])
    let node = places.withLock { $0[device].node }
    try await hub[node].updatePresence(of: principal(of: device), update)
  }

  private func place(
    _ id: SessionID, from caller: Principal, to receiver: Principal, at node: any HubBackplane
  ) async throws {
    let request = SessionRequest(
      receiverID: receiver.userID, isAudio: true, isVideo: true, offer: Self.description)
    let context = try await node.prepareCall(id, from: caller, request)
    let token = String(repeating: "t", count: 400)
    try await node.placeCall(
      CallPlacement(
        sessionID: id, caller: caller, request: request, context: context,
        tokens: PartyTokens(caller: token, receiver: token), receiverICEServers: []))
  }

  /// As long as the hub makes them.
  private func principal(of device: Int) -> Principal {
    let digits = String(device)
    let number = String(repeating: "0", count: 12 - digits.count) + digits
    return Principal(
      userID: "6f9619ff-8b86-4d01-b42d-\(number)", userTitle: "Device \(number)", role: .device, kind: .device,
      groups: ["group-\(device % options.groups)"])
  }

  private func streamID(of device: Int) -> String {
    let opening = places.withLock { $0[device].opening }
    let digits = String(device)
    return "00000000-0000-4000-\(1_000 + opening)-" + String(repeating: "0", count: 12 - digits.count) + digits
  }
}
