import UnixSignals

/// What the service manager asks of the daemon while it runs.
enum ServiceRequest: Sendable {
  /// By SIGHUP.
  case reload
  /// By SIGTERM or SIGINT.
  case stop
}

extension DeviceService {
  /// The signals of this process from now on, in their order.
  static func signals() async -> AsyncStream<ServiceRequest> {
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    let (requests, sink) = AsyncStream.makeStream(of: ServiceRequest.self)
    let task = Task {
      for await signal in signals { sink.yield(signal == .sighup ? .reload : .stop) }
      sink.finish()
    }
    sink.onTermination = { _ in task.cancel() }
    return requests
  }
}
