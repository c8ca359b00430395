internal import Foundation
internal import OpenSSLCrypto
internal import SessionToken
internal import Signalling

/// What a push message lets its browser fetch without a login: the image of the one event that it is about.
struct EventImageTicket: Codable, Sendable, Equatable {
  var deviceID: String
  var eventID: DetectedEventID
  var userID: String
  /// Of this browser: the ticket ends with it, so with the login.
  var subscriptionID: String
  /// In seconds since 1970.
  var expiresAt: Int64

  enum CodingKeys: String, CodingKey {
    case deviceID = "d"
    case eventID = "e"
    case userID = "u"
    case subscriptionID = "s"
    case expiresAt = "x"
  }
}

/// Makes and verifies tickets, by a key that all nodes of the hub derive from its push key. A ticket has another form than a
/// token, and is no login.
struct EventImageTickets: Sendable {
  /// Octets of a ticket's text.
  static let longest = 1_024

  private let key: [UInt8]
  private let crypto = OpenSSLCrypto()

  init(pushKey: [UInt8]) {
    key = crypto.hmacSHA256(key: pushKey, message: Array("livesessions event image ticket".utf8))
  }

  /// Nil where the names are too long for a ticket.
  func text(of ticket: EventImageTicket) -> String? {
    guard let json = try? JSONEncoder().encode(ticket) else { return nil }
    let octets = Array(json)
    let text = Base64URL.encode(octets) + "." + Base64URL.encode(crypto.hmacSHA256(key: key, message: octets))
    return text.utf8.count <= Self.longest ? text : nil
  }

  /// Nil for a text that is no ticket of this hub, or one whose time is over.
  ///
  /// - Parameter now: in seconds since 1970.
  func ticket(_ text: String, now: Int64) -> EventImageTicket? {
    guard text.utf8.count <= Self.longest else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let octets = Base64URL.decode(parts[0].utf8), let mark = Base64URL.decode(parts[1].utf8),
      Self.isSame(mark, crypto.hmacSHA256(key: key, message: octets)),
      let ticket = try? JSONDecoder().decode(EventImageTicket.self, from: Data(octets)), now < ticket.expiresAt
    else { return nil }
    return ticket
  }

  /// In a time that does not depend on where they differ.
  private static func isSame(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count && zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
