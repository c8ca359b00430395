internal import SystemSupport
public import RealtimeRuntime

/// What one talker is to hear while there are others: the device's own sound and theirs, without that talker's.
public struct MixMinus: Sendable {
  /// Marks the frames (``EncodedFrameHeader/mix``); not 0, which is the device's own sound.
  public let id: UInt8
  /// Who is audible in it; all of them are played by the same ``AudioPlayout``.
  public let others: [PlayoutSource]
  /// Where the frames go: the inbox of the sender, attached to the pipeline's bus as well.
  public let inbox: FrameInbox

  public init(id: UInt8, others: [PlayoutSource], inbox: FrameInbox) {
    self.id = id
    self.others = others
    self.inbox = inbox
  }
}

/// The mixes that are wanted, shared by control and the audio thread.
final class MixMinusProgram: Sendable {
  private struct State {
    var mixes: [MixMinus] = []
    var version: UInt64 = 0
  }

  private let state = Mutex(State())

  func set(_ mixes: [MixMinus]) {
    state.withLock { state in
      state.mixes = mixes
      state.version += 1
    }
  }

  /// The mixes, if they have changed since `version`, which follows.
  func changes(since version: inout UInt64) -> [MixMinus]? {
    let known = version
    let change = state.withLock { $0.version == known ? nil : (mixes: $0.mixes, version: $0.version) }
    guard let change else { return nil }
    version = change.version
    return change.mixes
  }
}
