import HubCore
import RedisClient
import Signalling
import Testing

@testable import HubRedis

struct PrincipalTextsTests {
  private func principal(_ number: Int, title: String = "Door") -> Principal {
    Principal(userID: "u\(number)", userTitle: title, role: .device, kind: .device, groups: ["a", "b"])
  }

  @Test func theTextIsTheRecordOfThePrincipal() {
    let texts = PrincipalTexts()
    for principal in [principal(1), principal(1, title: "Gate \"3\""), principal(1)] {
      #expect(decode(.string(Array(texts.text(of: principal).utf8))) == principal)
    }
  }

  @Test func whoIsAskedForStaysAmongTooMany() {
    let texts = PrincipalTexts(capacity: 4)
    for number in 0..<100 {
      for asked in [number, 0, 1] { #expect(texts.text(of: principal(asked)) == encode(principal(asked))) }
    }
  }
}
