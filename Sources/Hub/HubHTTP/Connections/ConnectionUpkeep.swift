internal import Glibc
internal import HubCore
internal import Logging
internal import ServiceLifecycle

/// Says when there were too many connections.
struct ConnectionUpkeep: Service {
  let connections: ConnectionRegistry
  let logger: Logger

  init(connections: ConnectionRegistry, logger: Logger) {
    self.connections = connections
    self.logger = logger
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: .seconds(60))) != nil { connections.report(to: logger) }
    }
  }
}

extension ConnectionLimits {
  /// As many connections as the process may have open, with some descriptors left for other things; the process is let
  /// have more than it began with, up to its hard limit.
  func fittedToProcess() -> ConnectionLimits {
    let spare = 128
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return self }
    if limit.rlim_cur < rlim_t(total + spare) {
      limit.rlim_cur = min(rlim_t(total + spare), limit.rlim_max)
      setrlimit(resource, &limit)
      guard getrlimit(resource, &limit) == 0 else { return self }
    }
    var copy = self
    copy.total = min(total, max(Int(clamping: limit.rlim_cur) - spare, 16))
    return copy
  }
}
