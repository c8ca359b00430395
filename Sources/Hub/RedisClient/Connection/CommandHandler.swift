internal import Glibc
internal import NIOCore
internal import TLSChannel

/// The end of a connection's pipeline: writes commands, and hands each reply to the waiting caller, in order.
///
/// Belongs to its channel's event loop. It ends once, for one reason, which ``ended`` reports; everything that waits
/// fails then. A server that owes a reply for too long, or does not answer a `PING` after silence, ends it.
final class CommandHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Reports how the connection ended.
  let ended: EventLoopFuture<RedisDisconnection>
  /// Takes messages of subscriptions.
  var onMessage: ((RedisMessage) -> Void)?
  /// Called when a command of this size has its reply or its failure, before its caller resumes.
  var onRelease: ((_ bytes: Int) -> Void)?
  var pendingCount: Int { pending.count }
  var isOpen: Bool { disconnection == nil }

  private struct Pending {
    let receiver: ReplyReceiver
    let size: Int
    let deadline: NIODeadline
  }

  private let channel: any Channel
  private let settings: RedisConnectionSettings
  private let end: EventLoopPromise<RedisDisconnection>
  private var reader: ReplyReader
  private var pending = CircularBuffer<Pending>()
  private var disconnection: RedisDisconnection?
  private var lastActivity = NIODeadline.now()
  private var check: (task: Scheduled<Void>, deadline: NIODeadline)?

  init(_ channel: any Channel, _ settings: RedisConnectionSettings) {
    self.channel = channel
    self.settings = settings
    reader = ReplyReader(settings.limits)
    end = channel.eventLoop.makePromise()
    ended = end.futureResult
  }

  // MARK: Commands

  /// Writes commands in one flush.
  func send(_ submissions: some Collection<Submission>) {
    if let disconnection {
      for submission in submissions { settle(submission, .failure(.notConnected(disconnection))) }
      return
    }
    let deadline = NIODeadline.now() + TimeAmount(settings.responseTimeout)
    var buffer = channel.allocator.buffer(capacity: submissions.reduce(0) { $0 + $1.command.size + 16 })
    for submission in submissions {
      submission.command.write(to: &buffer)
      pending.append(Pending(receiver: submission.receiver, size: submission.command.size, deadline: deadline))
    }
    channel.writeAndFlush(buffer, promise: nil)
    schedule(at: deadline)
  }

  /// Ends the connection from this side.
  func close(_ reason: RedisDisconnection) {
    guard disconnection == nil else { return }
    disconnection = reason
    check?.task.cancel()
    check = nil
    channel.close(promise: nil)
    let failure = RedisFailure.ended(reason)
    while let next = pending.popFirst() { settle(next, .failure(failure)) }
    end.succeed(reason)
  }

  private func settle(_ submission: Submission, _ result: Result<RedisValue, RedisFailure>) {
    onRelease?(submission.command.size)
    submission.receiver.receive(result)
  }

  private func settle(_ entry: Pending, _ result: Result<RedisValue, RedisFailure>) {
    if case .discard = entry.receiver { return }
    onRelease?(entry.size)
    entry.receiver.receive(result)
  }

  // MARK: The network

  func channelActive(context: ChannelHandlerContext) {
    lastActivity = .now()
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isOpen else { return }
    let bytes = unwrapInboundIn(data)
    lastActivity = .now()
    do throws(RedisDisconnection) {
      try feed(bytes)
      while isOpen, let value = try reader.next() { take(value) }
    } catch {
      close(error)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    close(.closedByServer)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    close(RedisDisconnection(endOf: error))
  }

  func handlerRemoved(context: ChannelHandlerContext) { close(.closedByServer) }

  private func feed(_ bytes: ByteBuffer) throws(RedisDisconnection) {
    let failure = bytes.withUnsafeReadableBytes { raw -> RedisDisconnection? in
      do throws(RedisDisconnection) { try reader.feed(raw) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  private func take(_ value: RedisValue) {
    if let onMessage, let message = RedisMessage(value) { return onMessage(message) }
    guard let entry = pending.popFirst() else { return close(unaskedReply(value)) }
    guard let error = value.error, let end = RedisDisconnection(endOf: error) else {
      return settle(entry, .success(value))
    }
    settle(
      entry,
      .failure(end == .isReplica ? .failover : RedisFailure(cause: .connectionLost(end), mayHaveBeenCarriedOut: false)))
    close(end)
  }

  /// A server says goodbye by an error to no command (`-ERR max number of clients reached`).
  private func unaskedReply(_ value: RedisValue) -> RedisDisconnection {
    guard let error = value.error else { return .malformedReply("a reply to no command") }
    return .refused(command: "the connection", code: error.code)
  }

  // MARK: Time

  /// Starts the silence check.
  func watch() { schedule(at: .distantFuture) }

  /// One check at a time, which moves on when it comes too early: cheaper than a new one a command. It is never further
  /// away than a `PING` may be, and only a deadline before it replaces it.
  private func schedule(at deadline: NIODeadline) {
    let next = min(deadline, .now() + TimeAmount(settings.pingInterval))
    if let check {
      guard next < check.deadline else { return }
      check.task.cancel()
    }
    let task = channel.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.checkTime() }
    check = (task, next)
  }

  private func checkTime() {
    check = nil
    guard isOpen else { return }
    let now = NIODeadline.now()
    if let first = pending.first {
      return first.deadline <= now ? close(.responseOverdue) : schedule(at: first.deadline)
    }
    let quietUntil = lastActivity + TimeAmount(settings.pingInterval)
    if quietUntil > now { return schedule(at: quietUntil) }
    send(CollectionOfOne(Submission(command: RedisCommand("PING", keyPosition: nil), receiver: .discard)))
  }
}

extension RedisCommand {
  func write(to buffer: inout ByteBuffer) {
    buffer.writeStaticString("*")
    buffer.writeString(String(count))
    buffer.writeStaticString("\r\n")
    buffer.writeBytes(body)
  }
}

extension RedisDisconnection {
  /// The end of a connection by an error of the pipeline or the system.
  init(endOf error: any Error) {
    switch error {
    case let error as RedisDisconnection: self = error
    case TLSChannelError.timedOut: self = .connectTimedOut
    case TLSChannelError.closed: self = .closedByServer
    case TLSChannelError.failed(let reason): self = .tls(reason: reason)
    case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE: self = .closedByServer
    default: self = .unreachable("\(error)")
    }
  }

  /// The end of a connection that an error reply means; `nil` when it only concerns the command.
  init?(endOf error: RedisError) {
    switch error.code {
    case "READONLY": self = .isReplica
    case "LOADING": self = .loading
    case "MASTERDOWN": self = .masterDown
    case "NOAUTH": self = .passwordRequired
    case "WRONGPASS": self = .wrongPassword
    default: return nil
    }
  }
}
