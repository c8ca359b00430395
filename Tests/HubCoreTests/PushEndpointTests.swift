import HubCore
import Testing

@Suite("Endpoints of push services") struct PushEndpointTests {
  @Test(arguments: [
    ("https://fcm.googleapis.com/fcm/send/abc:def", "https://fcm.googleapis.com", "/fcm/send/abc:def"),
    (
      "https://updates.push.services.mozilla.com/wpush/v2/gAAA_-=", "https://updates.push.services.mozilla.com",
      "/wpush/v2/gAAA_-="
    ),
    ("https://web.push.apple.com/Q?x=1", "https://web.push.apple.com", "/Q?x=1"),
    (
      "HTTPS://WNS2-par02p.notify.windows.com:443/w/?token=a%2b", "https://wns2-par02p.notify.windows.com",
      "/w/?token=a%2b"
    ),
    ("https://push.example.org", "https://push.example.org", "/"),
    ("https://push.example.org?a", "https://push.example.org", "/?a"),
  ])
  func pushServicesAreTaken(url: String, origin: String, path: String) throws {
    let endpoint = try PushEndpoint(url, services: [])
    #expect((endpoint.origin, endpoint.path, endpoint.isTrusted) == (origin, path, false))
    #expect(endpoint.port == 443)
  }

  @Test(arguments: [
    "", "push.example.org", "http://push.example.org/", "ftp://push.example.org/", "https:/push.example.org/",
    "https:///a", "https://:443/a", "https://push.example.org:444/",
    "https://a b.org/",
    "https://push.example.org:/", "https://push.example.org:99999/", "https://user@push.example.org/",
    "https://user:pass@push.example.org/", "https://push.example.org/#a", "https://push.example.org\\@10.0.0.1/",
    "https://push.example.org./", "https://push..example.org/", "https://.example.org/", "https://-a.example.org/",
    "https://localhost/", "https://localhost./", "https://printer/", "https://127.0.0.1/", "https://127.0.0.1./",
    "https://8.8.8.8/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/",
    "https://0177.0.0.1/", "https://017700000001/", "https://127.0.0.1.2/", "https://256.0.0.1/", "https://10.0.0.010/",
    "https://1.2.3.0x4/", "https://a.0x7f/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[2606:4700::1]/",
    "https://[fe80::1%25eth0]/", "https://[::1/", "https://::1/", "https://pu%73h.example.org/",
    "https://püsh.example.org/",
    "https://push.example.org/\n", "https://push.example.org/ü", "https://push.example.org/a b",
    "https://push.example.org/" + String(repeating: "a", count: PushEndpoint.longest),
  ])
  func othersAreRefused(url: String) {
    #expect(throws: HubRefusal.self) { try PushEndpoint(url, services: []) }
  }

  @Test func whatTheOperatorNamesIsTrusted() throws {
    let services = try ["push.lan:8443", "10.0.0.7", "[fd00::7]:8443", "http://127.0.0.1:8099"].map {
      try #require(PushServiceName($0))
    }
    for url in [
      "https://push.lan:8443/a", "https://10.0.0.7/a", "https://[fd00::7]:8443/a", "http://127.0.0.1:8099/a",
    ] {
      let endpoint = try PushEndpoint(url, services: services)
      #expect(endpoint.isTrusted && endpoint.path == "/a" && url.hasPrefix(endpoint.origin))
    }
    for url in [
      "https://10.0.0.7:8443/a", "http://10.0.0.7/a", "https://127.0.0.1:8099/a",
      "http://127.0.0.1/a", "http://push.lan:8443/a",
    ] { #expect(throws: HubRefusal.self) { try PushEndpoint(url, services: services) } }
    for text in ["", "a/b", "http://", "push.lan:", "127.1", "0x7f.1", "[::1", "::1", "a@b"] {
      #expect(PushServiceName(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.167.0.1", "198.17.0.1",
    "223.255.255.255", "2606:4700:4700::1111", "2a00:1450:4001:80f::200e", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "64:ff9b::808:808",
  ])
  func publicAddresses(text: String) throws { #expect(try #require(IPAddress(text)).isPublic) }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254",
    "::ffff:100.64.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8", "100::1", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
    "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "4000::1",
    "5f00::1",
  ])
  func otherAddresses(text: String) throws { #expect(try !#require(IPAddress(text)).isPublic) }
}
