public import Archive
public import Signalling

/// Reports archives that begin and end, from their threads. For one reader, who loses the oldest when not reading.
public final class ArchiveLife: Sendable {
  public enum Step: Sendable {
    case started(ArchiveID)
    /// Its files and its manifest are whole.
    case ended(ArchiveID)
  }

  public let steps: AsyncStream<Step>
  private let continuation: AsyncStream<Step>.Continuation
  private static let maxUnread = 256

  public init() {
    (steps, continuation) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingNewest(Self.maxUnread))
  }

  public func note(_ event: ArchiveEvent) {
    switch event {
    case .started(let manifest): continuation.yield(.started(manifest.id))
    case .stopped(let manifest), .failed(let manifest, _): continuation.yield(.ended(manifest.id))
    case .fellBehind, .exceededRate: break
    }
  }
}
