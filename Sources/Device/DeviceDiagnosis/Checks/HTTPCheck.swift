import ConfigFile
import ControlMessages
import DeviceConfiguration
import Glibc
import MediaPlaneAPI

/// Whether programs on this machine can control the device by HTTP, where `[http]` permits it.
struct HTTPCheck {
  let subject: Subject

  func findings() -> [Finding] {
    let settings = subject.configuration.http
    guard let address = settings.listen else { return [Finding(.http, .ok, "nothing listens")] }
    let problems = token(settings.tokenFile) + place(address)
    let verb = subject.daemon.isThere ? "listens" : "can listen"
    return problems.isEmpty ? [Finding(.http, .ok, "\(verb) at \(text(of: address))")] : problems
  }

  private func text(of address: LocalAddress) -> String {
    switch address {
    case .loopback(let endpoint): "\(endpoint.host):\(endpoint.port)"
    case .unix(let path): path
    }
  }

  // MARK: Token

  private func token(_ path: String?) -> [Finding] {
    guard let path else { return [] }
    switch subject.account.permission(.read, path) {
    case .absent:
      let remedy =
        "run: install -o \(subject.account.name) -m 0600 /dev/null '\(path)'; openssl rand -hex 32 >'\(path)'"
      return [Finding(.http, .failure, "there is no token \(path), so every request is refused", remedy: remedy)]
    case .denied(let text):
      return [Finding(.http, .failure, text, remedy: "run: chown \(subject.account.name) '\(path)'")]
    case .unknown: return [Finding(.http, .warning, "\(path) is not readable for you", remedy: "run this as root")]
    case .granted: return faults(path)
    }
  }

  private func faults(_ path: String) -> [Finding] {
    do throws(ConfigErrors) {
      _ = try HTTPSettings.token(path: path)
      return []
    } catch {
      // Of a file that is not theirs others learn nothing.
      guard geteuid() == 0 || geteuid() == subject.account.userID else { return [] }
      return error.errors.map { Finding(.http, .failure, "\($0.file): \($0.problem)", remedy: $0.remedy) }
    }
  }

  // MARK: Place

  private func place(_ address: LocalAddress) -> [Finding] {
    if let problem = subject.daemon.status?.problems?.first(where: { $0.part == .http && $0.lasts }) {
      return [Finding(.http, .failure, problem.text, remedy: "the daemon tries again every 30 s")]
    }
    guard !subject.daemon.isThere else { return [] }
    switch address {
    case .loopback(let endpoint): return portProblem(endpoint)
    case .unix(let path): return folderProblem(path)
    }
  }

  private func portProblem(_ endpoint: ServiceEndpoint) -> [Finding] {
    let error = LoopbackPort.bindError(endpoint.host, endpoint.port)
    guard error != 0 else { return [] }
    let reason = String(cString: strerror(error))
    return [
      Finding(
        .http, .failure, "\(endpoint.host):\(endpoint.port) cannot be used: \(reason)",
        remedy: error == EADDRINUSE
          ? "see which program has it (ss -ltnp 'sport = \(endpoint.port)'), or name another port"
          : "name another address")
    ]
  }

  private func folderProblem(_ path: String) -> [Finding] {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    switch subject.account.permission([.write, .execute], folder.isEmpty ? "/" : folder) {
    case .granted, .unknown: return []
    case .absent:
      // What systemd makes for the service at its start.
      guard folder != "/run/livesessions" else { return [] }
      return [Finding(.http, .failure, "there is no folder \(folder)", remedy: "make it, or name another path")]
    case .denied(let text):
      return [
        Finding(.http, .failure, text, remedy: "name a path below /run/livesessions, or change the folder's owner")
      ]
    }
  }
}

/// A port of loopback that something is to listen at.
private enum LoopbackPort {
  /// Why it cannot be bound, as `errno`; 0 where it can.
  static func bindError(_ host: String, _ port: UInt16) -> CInt {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found?.pointee else { return EINVAL }
    defer { freeaddrinfo(found) }
    let descriptor = socket(address.ai_family, address.ai_socktype | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var isOn: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<CInt>.size))
    // Two may bind it with that option: listening is what only one can.
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, 1) == 0 else { return errno }
    return 0
  }
}
