import MediaPipeline
import RealtimeRuntime
import Signalling

/// Who hears whom: as soon as two parties talk, each hears the others beside the device.
struct MixMinusAssignment {
  /// The numbers of the mixes, which stay with their sessions.
  private var ids: [SessionID: UInt8] = [:]

  /// The mix for each talker; empty while there are fewer than two.
  ///
  /// - Parameter inbox: where the mixes go.
  mutating func update(_ talkers: [SessionID: PlayoutSource], inbox: FrameInbox) -> [SessionID: MixMinus] {
    guard talkers.count > 1 else {
      ids = [:]
      return [:]
    }
    ids = ids.filter { talkers[$0.key] != nil }
    for sessionID in talkers.keys.sorted() where ids[sessionID] == nil { ids[sessionID] = unusedID }
    let mixes = ids.map { sessionID, id in
      (sessionID, MixMinus(id: id, others: talkers.filter { $0.key != sessionID }.map(\.value), inbox: inbox))
    }
    return Dictionary(uniqueKeysWithValues: mixes)
  }

  /// Nil when all 255 are in use.
  private var unusedID: UInt8? {
    let used = Set(ids.values)
    return (1...UInt8.max).first { !used.contains($0) }
  }
}
