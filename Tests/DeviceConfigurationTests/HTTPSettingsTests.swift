import ConfigFile
import DeviceConfiguration
import Testing

@Suite("Settings of the control by HTTP")
struct HTTPSettingsTests {
  private func read(_ lines: String) throws -> HTTPSettings {
    let head = "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"http://127.0.0.1:8080\"\n[http]\n"
    return try DeviceConfiguration(text: head + lines, file: "device.toml").http
  }

  @Test("an address of loopback takes a token, a socket may do without")
  func places() throws {
    let settings = try read(
      "listen = \"localhost:8090\"\ntoken_file = \"/etc/livesessions/http-token\"\naccess = \"monitoring\"")
    #expect(settings.listen == .loopback(ServiceEndpoint(host: "127.0.0.1", port: 8_090)))
    #expect(settings.access == .monitoring)
    #expect(try read("listen = \"/run/livesessions/http\"").listen == .unix(path: "/run/livesessions/http"))
    #expect(try read("").listen == nil)
  }

  @Test(
    "what other machines reach, and loopback without a token, is refused",
    arguments: [
      "listen = \"0.0.0.0:8090\"\ntoken_file = \"/a\"", "listen = \"192.0.2.1:8090\"\ntoken_file = \"/a\"",
      "listen = \"127.0.0.1:8090\"", "listen = \"8090\"\ntoken_file = \"/a\"", "token_file = \"a\"",
    ])
  func mistakes(lines: String) {
    #expect(throws: ConfigErrors.self) { try read(lines) }
  }
}
