import ConfigFile
import TLSClient
import Testing

@testable import DeviceConfiguration

@Suite struct PublishSettingsTests {
  private static let head = "[device]\ntitle = \"Door\"\n[hub]\nurl = \"https://hub.example\"\n"

  private func read(_ text: String) throws(ConfigErrors) -> DeviceConfiguration {
    try DeviceConfiguration(text: Self.head + text, file: "device.toml")
  }

  private func mistakes(_ text: String) -> String {
    do {
      _ = try read(text)
      return ""
    } catch {
      return error.description
    }
  }

  @Test func aServerIsRead() throws {
    let one = try #require(
      try read(
        "[[publish]]\nname = \"wall\"\nurl = \"https://sfu.example/whip?room=1\"\ntoken_file = \"/t\"\nwhen = \"events\"\nsound = false\n"
      ).publications.first)
    #expect(
      one.name == "wall" && one.url == "https://sfu.example/whip?room=1" && one.shownURL == "https://sfu.example/whip")
    #expect(one.occasion == .events && !one.hasSound && one.camera == nil && one.credentialName == "publish-wall")
    #expect(one.tokenFile == "/t")
    #expect(throws: ConfigErrors.self) { try one.token(credentialsDirectory: nil) }
  }

  @Test(arguments: [
    ("name = \"wall\"", "url"), ("url = \"https://h/w\"", "name"),
    ("name = \"A wall\"\nurl = \"https://h/w\"", "name cannot be"),
    ("name = \"w\"\nurl = \"ftp://h\"", "not the URL of a WHIP endpoint"),
    ("name = \"w\"\nurl = \"http://h/w\"", "plain http"), ("name = \"w\"\nurl = \"https://h/w?a b\"", "query"),
    ("name = \"w\"\nurl = \"https://h/w#f\"", "not the URL"),
    ("name = \"w\"\nurl = \"https://u:p@h/w\"", "not the URL"),
    ("name = \"w\"\nurl = \"https://h/w\"\ncamera = \"yard\"", "no [[camera]] named"),
    ("name = \"w\"\nurl = \"https://h/w\"\nwhen = \"never\"", "when"),
    (
      "name = \"w\"\nurl = \"https://h/w\"\n[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"",
      "nothing to publish"
    ),
  ])
  func aMistakeIsNamed(text: String, expected: String) {
    #expect(mistakes("[[publish]]\n\(text)\n").contains(expected), "\(mistakes("[[publish]]\n\(text)\n"))")
  }

  @Test func namesAreDifferentAndServersFew() {
    let one = "[[publish]]\nname = \"w\"\nurl = \"https://h/w\"\n"
    #expect(mistakes(one + one).contains("another [[publish]]"))
    let five = (0..<5).map { "[[publish]]\nname = \"w\($0)\"\nurl = \"https://h/w\"\n" }.joined()
    #expect(mistakes(five).contains("more than 4"))
  }
}

@Suite struct ProxySettingsTests {
  private func settings(_ text: String) throws(ConfigErrors) -> HubSettings {
    try DeviceConfiguration(
      text: "[device]\ntitle = \"Door\"\n[hub]\nurl = \"https://hub.example\"\n\(text)\n", file: "device.toml"
    ).hub
  }

  @Test func theFileGoesBeforeTheEnvironment() throws {
    let environment = ["HTTPS_PROXY": "http://other:1", "NO_PROXY": "near.example"]
    let route = try settings("proxy = \"http://proxy.example:8080\"").route(credentialsDirectory: nil) {
      environment[$0]
    }
    #expect(route.proxy(to: "hub.example", port: 80, isSecure: false)?.host == "proxy.example")
    #expect(route.proxy(to: "near.example", port: 443, isSecure: true) == nil)
    let other = try settings("").route(credentialsDirectory: nil) { environment[$0] }
    #expect(other.proxy(to: "hub.example", port: 443, isSecure: true)?.host == "other")
    #expect(other.proxy(to: "hub.example", port: 80, isSecure: false) == nil)
    #expect(try settings("").route(credentialsDirectory: nil) { _ in nil } == .direct)
    #expect(throws: ConfigErrors.self) {
      try settings("").route(credentialsDirectory: nil) { $0 == "HTTPS_PROXY" ? "socks5://user:secret@h" : nil }
    }
  }

  @Test(arguments: [
    ("\"http://user:secret@proxy\"", "holds no password"), ("\"https://proxy\"", "not the URL of an HTTP proxy"),
    ("\"proxy:0\"", "not the URL of an HTTP proxy"),
  ])
  func aMistakeIsNamed(value: String, expected: String) {
    do {
      _ = try settings("proxy = \(value)")
      Issue.record("no mistake")
    } catch {
      #expect(error.description.contains(expected) && !error.description.contains("secret"))
    }
  }
}
