import MediaCore
import Signalling
import WebM

/// Goes through the frames of tracks once, in the order of time, and makes one WebM file of them without re-encoding.
///
/// The file is pulled: read no further and no more of the archive is read. Memory is bounded by two clusters a track.
struct RemuxPass {
  private let cursors: [ExportTrackCursor]
  private let (start, end): (Int64, Int64)
  private var muxer: WebMMuxer
  private var isFinished = false
  /// Of the latest frame that went in, from the archive's start.
  private(set) var milliseconds: Int64 = 0

  /// - Parameters:
  ///   - start: where the file's zero is, in milliseconds from the archive's start; see
  ///     ``ExportTrack/keyFrame(before:of:in:)``.
  ///   - end: what the frames are before, counted likewise.
  ///   - muxer: of the same tracks in the same order, before its first frame.
  init(_ tracks: [ExportTrack], from start: Int64, to end: Int64, _ muxer: WebMMuxer, in folder: HeldFolder) {
    (self.start, self.end, self.muxer) = (start, end, muxer)
    cursors = tracks.map { track in
      let cursor = ExportTrackCursor(track, in: folder)
      cursor.advance(to: start)
      return cursor
    }
  }

  /// Whether no frame is left.
  var isEmpty: Bool { earliest == nil }

  /// What had to be left out so far.
  var problems: Set<ExportProblem> { cursors.reduce(into: []) { $0.formUnion($1.problems) } }

  /// The next operation on the file; nil at its end.
  mutating func next() -> WebMOutput? {
    while true {
      let output = muxer.nextOutput()
      if output != .nothing { return output }
      if isFinished { return nil }
      pushEarliest()
    }
  }

  /// Lends the bytes of the operation that ``next()`` announced.
  func withOutput<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
    try muxer.withOutput(body)
  }

  private mutating func pushEarliest() {
    guard let index = earliest else {
      muxer.finish()
      isFinished = true
      return
    }
    milliseconds = cursors[index].milliseconds
    cursors[index].push(to: &muxer, track: index + 1, offset: start)
    cursors[index].advance()
  }

  /// The cursor whose frame comes next; of frames of the same time the first track's.
  private var earliest: Int? {
    cursors.indices.filter { cursors[$0].block != nil && cursors[$0].milliseconds < end }
      .min { cursors[$0].milliseconds < cursors[$1].milliseconds }
  }
}

extension ExportTrack {
  /// The last key frame at a moment or before it, in milliseconds from the archive's start: of several tracks the
  /// earliest, so that each has its own; the moment itself where none has any.
  static func keyFrame(before moment: Int64, of tracks: [ExportTrack], in folder: HeldFolder) -> Int64 {
    tracks.filter { $0.kind == .video }
      .compactMap { ExportTrackCursor.lastKeyFrame(of: $0, at: moment, in: folder) }.min() ?? moment
  }

  /// As a track of a file.
  ///
  /// - Parameter isDefault: whether players choose it by themselves.
  func muxed(isDefault: Bool = true) -> WebMMuxedTrack {
    WebMMuxedTrack(name: name, media: media, isDefault: isDefault)
  }
}

extension ExportTrackCursor {
  /// Hands the current frame on.
  ///
  /// - Parameter offset: where the file's zero is, in milliseconds from the archive's start.
  func push(to muxer: inout WebMMuxer, track: Int, offset: Int64 = 0) {
    guard let block else { return }
    let milliseconds = milliseconds - offset
    withPayload { payload in
      muxer.push(
        track: track, milliseconds: milliseconds, isKeyFrame: block.isKeyFrame, isDiscardable: block.isDiscardable,
        payload: payload)
    }
  }
}
