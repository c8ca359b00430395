import HubCore

/// What proxies and anonymous say of a request's way: half of the lines as `X-Forwarded-For`, half as `Forwarded`.
///
/// Whatever stands there, only what the proxy itself added at the right can be taken for the client.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  let half = lines.count / 2
  guard let proxy = IPAddress("10.0.0.1"), let stranger = IPAddress("192.0.2.1"), let range = AddressRange("10.0.0.0/8")
  else { preconditionFailure("addresses are not read") }
  let headers = ForwardingHeaders(forwardedFor: Array(lines[..<half]), forwarded: Array(lines[half...]))
  precondition(headers.client(behind: stranger, trustedProxies: [range]) == stranger, "a stranger is believed")
  _ = headers.client(behind: proxy, trustedProxies: [range])
  let appended = ForwardingHeaders(forwardedFor: Array(lines[..<half]) + ["192.0.2.1"], forwarded: [])
  precondition(appended.client(behind: proxy, trustedProxies: [range]) == stranger, "what is left of the client counts")
  return 0
}
