import Foundation
import Signalling
import TestSupport

/// One simulated user, and what the hub has told it.
struct SimulatedUser {
  let title: String
  /// As the login's JSON has it: `"enrolmentKey":"…"` or `"password":"…"`.
  let credential: String
  let isDevice: Bool
  var location: UserLocation
  var token = ""
  var userID = ""
  var streamID: String?
  /// Is a party to a call.
  var isBusy = false
}

/// All simulated users: who they are, where they are, and what requests they make.
struct Population {
  var users: [SimulatedUser]
  private let host: String
  private var random: SeededGenerator

  /// Reads the accounts, and spreads them over a region of some hundred kilometres.
  init(_ options: LoadOptions) throws(LoadFailure) {
    guard let text = try? String(contentsOfFile: options.accounts, encoding: .utf8) else {
      throw LoadFailure("\(options.accounts) cannot be read")
    }
    var random = SeededGenerator(seed: options.seed)
    users = text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 3 else { return nil }
      return SimulatedUser(
        title: fields[0], credential: "\"\(fields[1] == "key" ? "enrolmentKey" : "password")\":\"\(fields[2])\"",
        isDevice: fields[1] == "key",
        location: UserLocation(
          latitude: Double.random(in: 47...55, using: &random), longitude: Double.random(in: 6...15, using: &random)))
    }
    host = options.targets[0].text
    self.random = random
    guard !users.isEmpty else {
      throw LoadFailure("\(options.accounts) has no lines of title, key or password, and it")
    }
  }

  // MARK: Requests

  func login(_ user: Int) -> Request {
    let body = #"{"userTitle":"\#(users[user].title)",\#(users[user].credential)}"#
    return Request(kind: .login, user: user, bytes: bytes("POST", "/v1/login", user: nil, body))
  }

  func stream(_ user: Int) -> [UInt8] { bytes("GET", "/v1/events", user: user, nil) }

  /// A heartbeat; one that `moves` has gone some metres.
  mutating func update(_ user: Int, moves: Bool) -> Request {
    var location = ""
    if moves {
      users[user].location.latitude += Double.random(in: -0.001...0.001, using: &random)
      users[user].location.longitude += Double.random(in: -0.001...0.001, using: &random)
      let place = users[user].location
      location = #""userLocation":{"latitude":\#(place.latitude),"longitude":\#(place.longitude)},"positionAge":1,"#
    }
    let stream = users[user].streamID.map { #","eventStreamID":"\#($0)""# } ?? ""
    let kind = users[user].isDevice ? "device" : "person"
    let body = #"{\#(location)"status":"available","kind":"\#(kind)","isAudio":true,"isVideo":true\#(stream)}"#
    return Request(kind: .update, user: user, bytes: bytes("PUT", "/v1/presence", user: user, body))
  }

  func nearby(_ user: Int) -> Request {
    let place = users[user].location
    let path = "/v1/users?latitude=\(place.latitude)&longitude=\(place.longitude)&within=50km&limit=20"
    return Request(kind: .nearby, user: user, bytes: bytes("GET", path, user: user, nil))
  }

  func healthz() -> Request { Request(kind: .healthz, user: 0, bytes: bytes("GET", "/healthz", user: nil, nil)) }

  /// - Parameter offer: as long as a browser's.
  func place(_ call: String, from caller: Int, to receiver: Int, offer: String) -> Request {
    let body = #"{"receiverID":"\#(users[receiver].userID)","isAudio":true,"isVideo":true,"offer":"\#(offer)"}"#
    let bytes = bytes("PUT", "/v1/sessions/\(call)", user: caller, body)
    return Request(kind: .place, user: caller, bytes: bytes, call: call)
  }

  func answer(_ call: String, by user: Int, sdp: String) -> Request {
    let bytes = bytes("POST", "/v1/sessions/\(call)/answer", user: user, #"{"sdp":"\#(sdp)"}"#)
    return Request(kind: .answer, user: user, bytes: bytes, call: call)
  }

  func end(_ call: String, by user: Int) -> Request {
    Request(kind: .end, user: user, bytes: bytes("DELETE", "/v1/sessions/\(call)", user: user, nil), call: call)
  }

  private func bytes(_ method: String, _ path: String, user: Int?, _ body: String?) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
    if let user { text += "Authorization: Bearer \(users[user].token)\r\n" }
    if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    return Array((text + "\r\n" + (body ?? "")).utf8)
  }
}
