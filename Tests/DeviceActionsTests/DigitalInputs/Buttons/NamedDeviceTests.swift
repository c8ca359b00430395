import Testing

@testable import DigitalIO

/// Devices that are meant by their name.
@Suite("Input devices by name") struct NamedDeviceTests {
  private func search(_ devices: [Int: NamedDeviceSearch.Found]) throws(EvdevError) -> String {
    try NamedDeviceSearch.path(of: "Remote") { path in
      Int(path.dropFirst("/dev/input/event".count)).flatMap { devices[$0] } ?? .nothing
    }
  }

  @Test func ofTwoTheOneThatHasTheKeyIsTaken() throws {
    let path = try search([
      1: .device(name: "Power Button", hasAllKeys: true), 3: .device(name: "Remote", hasAllKeys: false),
      5: .device(name: "Remote", hasAllKeys: true), 6: .device(name: "Remote", hasAllKeys: true),
    ])
    #expect(path == "/dev/input/event5")
  }

  @Test func whereNoneHasTheKeyTheFirstSaysSo() throws {
    let path = try search([
      3: .device(name: "Remote", hasAllKeys: false), 5: .device(name: "Remote", hasAllKeys: false),
    ])
    #expect(path == "/dev/input/event3")
  }

  @Test func oneThatCannotBeLookedAtDoesNotHideTheOther() throws {
    let denied = EvdevError("/dev/input/event3", "cannot be opened", code: 13)
    let path = try search([3: .failure(denied), 5: .device(name: "Remote", hasAllKeys: true)])
    #expect(path == "/dev/input/event5")
    #expect(throws: EvdevError.self) { try search([3: .failure(denied)]) }
  }

  @Test func anAbsentOneIsNamedWithThoseThatAreThere() {
    #expect(
      throws: EvdevError(#"no input device is named "Remote": there are "Keyboard"; plug it in, or name another"#)
    ) {
      try search([2: .device(name: "Keyboard", hasAllKeys: true)])
    }
  }
}
