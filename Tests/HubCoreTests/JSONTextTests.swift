import Foundation
import HubCore
import Signalling
import Testing

/// What is written by hand has the members, and the bytes, of the encoder.
struct JSONTextTests {
  @Test func nearbyUsersAreWrittenAsTheyAreEncoded() throws {
    var full = user("a \"title\" with \\, \n, \u{1}, \u{1F} and ü", at: UserLocation(latitude: 52, longitude: -1e-5))
    full.positionAge = 7
    full.permits = ["call", "audio"]
    var empty = user("", at: UserLocation(latitude: 1.25, longitude: 0.1, horizontalAccuracy: 3))
    empty.permits = []
    let list = NearbyUsers(items: [full, empty, user("no place", at: nil)])
    #expect(list.json.text == (try encoded(list)))
    #expect(NearbyUsers(items: []).json.text == (try encoded(NearbyUsers(items: []))))
  }

  @Test func loginsAreWrittenAsTheyAreEncoded() throws {
    let short = LoginResponse(userID: "id", accessToken: "a/b.c", expiresAt: 1_795_853_474_000, role: "device")
    let whole = LoginResponse(
      userID: "id", accessToken: "token", expiresAt: -1, role: "user", userTitle: "A", expiresIn: 3_600,
      clientToken: "client")
    #expect(short.json.text == (try encoded(short)))
    #expect(whole.json.text == (try encoded(whole)))
  }

  @Test func whatIsNoNumberIsLeftOut() {
    var text = JSONText()
    text.object {
      $0.member("nan", Double.nan)
      $0.member("half", 0.5)
    }
    #expect(text.text == #"{"half":0.5}"#)
  }

  private func user(_ title: String, at location: UserLocation?) -> NearbyUser {
    NearbyUser(
      userID: "id", userTitle: title, userLocation: location, distance: location.map { _ in 1_234.5 },
      status: .doNotDisturb, kind: .device, isAudio: true, isVideo: false)
  }

  private func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
