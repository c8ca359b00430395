import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import OpenSSLCrypto
import SessionToken
import Signalling
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1)))
struct DeviceCertificateTests {
  private let key = Result { try Ed25519Key() }

  private func request(for userID: String) throws -> DeviceCertificateRequest {
    let key = try key.get()
    let message = DeviceCertificateRequest.possession(of: key.publicKey, userID: userID)
    return DeviceCertificateRequest(
      publicKey: Base64URL.encode(key.publicKey),
      possession: Base64URL.encode(try key.signature(of: message.span.bytes)))
  }

  @Test func aDeviceGetsAWordThatHoldsWithoutTheHub() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("Front gate")
      let reply = try await hub.send(.POST, "/v1/device-certificate", try request(for: device.id), by: device)
      #expect(reply.status == 200)
      let answer = try reply.decode(DeviceCertificateResponse.self)
      let published = try await hub.send(.GET, "/.well-known/jwks.json")
      let keys = try SigningKeySet(json: Array(published.body.readableBytesView))
      let certificate = try DeviceCertificate(answer.certificate, keys: keys, OpenSSLCrypto())
      #expect(certificate.userID == device.id)
      #expect(certificate.title == "Front gate")
      #expect(certificate.publicKey == (try key.get()).publicKey)
      #expect(answer.expiresAt == certificate.expiresAt * 1_000)
      #expect(certificate.expiresAt - certificate.issuedAt == 180 * 86_400)
      // It opens nothing.
      let borrowed = Member(id: device.id, token: answer.certificate)
      #expect(try await hub.send(.GET, "/v1/users", by: borrowed).status == 401)
    }
  }

  @Test func nobodyGetsAWordForAnothersKey() async throws {
    try await HubFixture.run { hub in
      let (device, other) = (try await hub.addDevice("gate"), try await hub.addDevice("door"))
      let person = try await hub.addPerson("anna")
      let seen = try request(for: device.id)
      #expect(try await hub.send(.POST, "/v1/device-certificate", seen, by: other).status == 400)
      #expect(
        try await hub.send(.POST, "/v1/device-certificate", try request(for: person.id), by: person).status == 403)
      #expect(try await hub.send(.POST, "/v1/device-certificate", seen).status == 401)
      for (field, value) in [("publicKey", "AA"), ("publicKey", "+" + seen.publicKey.dropFirst()), ("possession", "")] {
        var bad = seen
        if field == "publicKey" { bad.publicKey = value } else { bad.possession = value }
        let reply = try await hub.send(.POST, "/v1/device-certificate", bad, by: device)
        #expect(reply.status == 400 && reply.text.contains(field), "\(field): \(reply.text)")
      }
    }
  }
}
