internal import Foundation
internal import HubCore
internal import SystemSupport
internal import NIOCore

/// Writes the status to clients, each of which is disconnected then: to eight at the same time, within 10 s.
final class StatusServer: Sendable {
  private static let places = 8
  private let (clients, arrived) = AsyncStream.makeStream(
    of: (any Channel).self, bufferingPolicy: .bufferingOldest(StatusServer.places))
  private let report: @Sendable () async -> HubStatus
  private let free = Mutex(StatusServer.places)

  init(report: @escaping @Sendable () async -> HubStatus) { self.report = report }

  func serve(_ channel: any Channel) {
    guard take() else { return channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in self.free.withLock { $0 += 1 } }
    channel.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
    arrived.yield(channel)
  }

  /// Answers until the task is cancelled. To be called once.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await channel in clients { group.addTask { await self.answer(channel) } }
    }
  }

  private func take() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  @concurrent
  private func answer(_ channel: any Channel) async {
    let text = Self.encode(await report())
    try? await channel.writeAndFlush(ByteBuffer(string: text))
    try? await channel.close()
  }

  private static func encode(_ status: HubStatus) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Plain values, so encoding cannot fail.
    return ((try? encoder.encode(status)).map { String(decoding: $0, as: UTF8.self) } ?? "{}") + "\n"
  }
}
