import CLinux
import ControlMessages
import DeviceConfiguration
import Glibc
import MediaCore
import SystemSupport
import TLSClient

/// Whether media has a way: addresses, the port, and what TURN over TLS needs. Which TURN servers there are the hub says
/// with each call.
struct NetworkCheck {
  let subject: Subject
  /// Numeric, of the interfaces that are up, loopback left out.
  var interfaces = Self.currentInterfaces()

  private var settings: NetworkSettings { subject.configuration.network }

  func findings() -> [Finding] {
    let problems = addresses() + port() + authorities()
    guard problems.isEmpty else { return problems }
    let port = settings.port == 0 ? "any UDP port" : "UDP port \(settings.port)"
    let relay = settings.transportPolicy == .relay ? ", media through TURN servers alone" : ""
    let places = settings.addresses.map { $0.map { $0.host } } ?? interfaces
    return [Finding(.network, .ok, "\(port) at \(places.joined(separator: ", "))\(relay)")]
  }

  private func addresses() -> [Finding] {
    if let wanted = settings.addresses {
      let absent = wanted.map(\.host).filter { !interfaces.contains($0) && !Self.isLocal($0) }
      return absent.map {
        Finding(
          .network, .failure, "no interface has the address \($0) of [network]",
          remedy: "see ip address; leave addresses out for every interface")
      } + loopback(wanted.map(\.host))
    }
    guard interfaces.isEmpty else { return [] }
    let isAlone = subject.configuration.hub.isLoopback
    return [
      Finding(
        .network, isAlone ? .warning : .failure, "no interface but loopback is up, so the device cannot be called",
        remedy: "see ip address and the network's configuration")
    ]
  }

  /// With a hub on this machine as well it may be meant so: to try both.
  private func loopback(_ hosts: [String]) -> [Finding] {
    guard hosts.allSatisfy(Self.isLoopback) else { return [] }
    return [
      Finding(
        .network, subject.configuration.hub.isLoopback ? .warning : .failure,
        "callers on other machines cannot reach this device: addresses of [network] has loopback alone",
        remedy: "remove addresses from [network], then run: systemctl restart \(subject.instance.unit)")
    ]
  }

  private static func isLocal(_ host: String) -> Bool {
    isLoopback(host) || ["0:0:0:0:0:0:0:0", "0.0.0.0"].contains(host)
  }

  /// - Parameter host: as ``TransportAddress/host`` writes it.
  private static func isLoopback(_ host: String) -> Bool { host.hasPrefix("127.") || host == "0:0:0:0:0:0:0:1" }

  /// Takes the port for a moment, unless the daemon has it.
  private func port() -> [Finding] {
    guard settings.port != 0, !subject.daemon.isThere else { return [] }
    let wildcard = ls_address(high: 0, low: 0, port: settings.port, is_ipv6: 0)
    let descriptor = ls_udp_open(wildcard, 4_096, 4_096)
    guard descriptor < 0 else {
      close(descriptor)
      return []
    }
    return [
      Finding(
        .network, .failure, "UDP port \(settings.port) cannot be taken: \(String(cString: strerror(errno)))",
        remedy: "ss -ulpn shows who has it; take another as port of [network]")
    ]
  }

  private func authorities() -> [Finding] {
    guard let path = settings.turnAuthorityFile else { return [] }
    do throws(TLSClientError) {
      _ = try TLSClient(authorityFile: path)
      return []
    } catch {
      return [Finding(.network, .failure, error.description, remedy: "name a PEM file as turn_ca_file of [network]")]
    }
  }

  private static func currentInterfaces() -> [String] {
    withUnsafeTemporaryAllocation(of: ls_address.self, capacity: 64) { buffer in
      let count = ls_interface_addresses(buffer.baseAddress, 64)
      return buffer.prefix(Int(max(0, count))).map { Self.host($0) }.filter { !isLocal($0) }
    }
  }

  private static func host(_ address: ls_address) -> String {
    guard address.is_ipv6 == 0 else { return TransportAddress(ipv6: address.high, address.low, port: 0).host }
    return TransportAddress(ipv4: UInt32(address.high >> 32), port: 0).host
  }
}
