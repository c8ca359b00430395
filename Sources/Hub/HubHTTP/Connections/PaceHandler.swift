internal import HubCore
internal import NIOCore

/// Closes connections that make the hub wait: the clock and the timer of one ``HubCore/RequestPace``.
///
/// Stands before the HTTP decoder, since a head that comes byte by byte shows nowhere else.
final class PaceHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  /// Fired along the pipeline: a request was not whole in time.
  struct RequestTimedOut {}

  private var pace: RequestPace
  private let registry: ConnectionRegistry
  private var timer: (task: Scheduled<Void>, due: Instant)?
  private var stall: Scheduled<Void>?
  private var context: ChannelHandlerContext?

  init(registry: ConnectionRegistry) {
    self.registry = registry
    pace = RequestPace(limits: registry.limits, now: .now)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    arm()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.task.cancel()
    stall?.cancel()
    timer = nil
    stall = nil
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    pace.received(unwrapInboundIn(data).readableBytes, now: .now)
    arm()
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    pace.wanted(now: .now)
    arm()
    context.read()
  }

  func headEnded(isUpload: Bool) {
    pace.headEnded(isUpload: isUpload, now: .now)
  }

  func requestEnded() {
    pace.requestEnded(now: .now)
  }

  func responseEnded() {
    pace.responseEnded(now: .now)
    arm()
  }

  /// A client that takes nothing makes its channel not writable; one that takes enough makes it writable again.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    stall?.cancel()
    stall = nil
    if !context.channel.isWritable {
      stall = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(registry.limits.stallTimeout)) {
        self.registry.note { $0.stalled += 1 }
        self.context?.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  /// The timer may fire too early, never too late: it is moved only when the deadline has come nearer.
  private func arm() {
    guard let context, let due = pace.deadline else { return }
    if let timer {
      guard due < timer.due else { return }
      timer.task.cancel()
    }
    let delay = TimeAmount(max(Instant.now.duration(to: due), .milliseconds(1)))
    let task = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.timerFired() }
    timer = (task, due)
  }

  private func timerFired() {
    timer = nil
    switch pace.check(now: .now) {
    case .wait: arm()
    case .close: context?.close(promise: nil)
    case .requestTimedOut:
      registry.note { $0.timedOut += 1 }
      arm()
      context?.fireUserInboundEventTriggered(RequestTimedOut())
    }
  }
}
