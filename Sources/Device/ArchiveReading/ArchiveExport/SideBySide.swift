import Archive
import MediaCore
import Signalling
import WebM

/// How parties are laid out beside each other, and the ffmpeg arguments for it.
///
/// What parties sent may have any size and shape, and change it: cells are at most three times as wide as high, and the
/// other way round; what does not fill its cell stands in its middle. All sizes are even, as encoders want them.
///
/// Every party's video is scaled to the same height and laid onto a black canvas that lasts as long as the archive, so
/// a party without video, or one that comes late or leaves early, is black. Track number n is read from descriptor
/// `firstInput` + n.
struct SideBySide: Hashable {
  /// A party's place in the output frame, in pixels.
  struct Cell: Hashable {
    var x: Int
    var width: Int
    /// The input with its video; `nil` if it has none.
    var input: Int?
  }

  private(set) var cells: [Cell] = []
  private(set) var height = 0
  /// The inputs with sound.
  private(set) var sounds: [Int] = []
  private let inputCount: Int
  private let durationMilliseconds: Int64
  private let span: ArchiveSpan?

  static let firstInput = 3
  private static let rate = 30
  private static let heights = 120...1_080
  private static let widest = 3_840
  /// The cameras of a device, and the other party of a call.
  private static let maxParties = 5
  private static let steepest = 3
  /// Larger frames would take a gigabyte to decode; they are left out.
  private static let maxPixels = 8_192 * 4_320

  init(_ join: ArchiveRemuxer) throws(ExportError) {
    try self.init(join.tracks, durationMilliseconds: join.durationMilliseconds, span: join.span)
  }

  init(_ tracks: [ExportTrack], durationMilliseconds: Int64, span: ArchiveSpan? = nil) throws(ExportError) {
    self.span = span
    inputCount = tracks.count
    self.durationMilliseconds = durationMilliseconds
    guard let tallest = tracks.compactMap(\.frameSize?.height).max() else { throw .noVideo }
    height = Self.even(min(max(tallest, Self.heights.lowerBound), Self.heights.upperBound))
    sounds = tracks.indices.filter { tracks[$0].kind == .audio }
    var streamIDs: [String] = []
    for track in tracks where !streamIDs.contains(track.streamID) { streamIDs.append(track.streamID) }
    let inputs = streamIDs.prefix(Self.maxParties).map { streamID in
      tracks.firstIndex { $0.streamID == streamID && $0.kind == .video }
    }
    let sizes = inputs.map { $0.flatMap { tracks[$0].frameSize } ?? (width: 4, height: 3) }
    let total = sizes.reduce(0) { $0 + cellWidth($1) }
    if total > Self.widest { height = Self.even(max(Self.heights.lowerBound, height * Self.widest / total)) }
    for (input, size) in zip(inputs, sizes) { addCell(input, width: cellWidth(size)) }
  }

  private static func even(_ number: Int) -> Int { (number + 1) / 2 * 2 }

  /// As wide as the video's aspect ratio, within bounds.
  private func cellWidth(_ size: (width: Int, height: Int)) -> Int {
    let width = height * size.width / max(1, size.height)
    return Self.even(min(max(width, height / Self.steepest), height * Self.steepest))
  }

  private mutating func addCell(_ input: Int?, width: Int) {
    cells.append(Cell(x: cells.last.map { $0.x + $0.width } ?? 0, width: width, input: input))
  }

  var width: Int { cells.last.map { $0.x + $0.width } ?? 0 }

  /// Of the file that is made.
  var outputMilliseconds: Int64 {
    span.map { max(0, min($0.end, durationMilliseconds) - $0.start) } ?? durationMilliseconds
  }

  /// The whole command line behind the program's name. Nothing in it ever passes a shell.
  func arguments(format: ExportFormat, output: String) -> [String] {
    var arguments = FFmpeg.commonArguments + ["-copyts"]
    for input in 0..<inputCount { arguments += inputArguments(input) }
    arguments += ["-filter_complex", filters, "-map", "[video]"]
    if !sounds.isEmpty { arguments += ["-map", "[sound]"] }
    // A name that starts with a dash is no option when a protocol stands before it.
    return arguments + format.arguments + ["-y", "file:" + output]
  }

  /// A video that changes its size is rescaled; the filters must not restart for it.
  private func inputArguments(_ input: Int) -> [String] {
    let scaling = sounds.contains(input) ? [] : ["-reinit_filter", "0", "-max_pixels", "\(Self.maxPixels)"]
    return scaling + ["-f", "matroska", "-i", "pipe:\(Self.firstInput + input)"]
  }

  private var filters: String { (frameFilters + soundFilters).joined(separator: ";") }

  private var frameFilters: [String] {
    let duration = Self.seconds(durationMilliseconds)
    var filters: [String] = []
    var canvas = "color=c=black:s=\(width)x\(height):r=\(Self.rate):d=\(duration),format=yuv420p"
    for (index, cell) in cells.enumerated() {
      guard let input = cell.input else { continue }
      filters.append("[\(input):v]\(scaling(into: cell)),setsar=1[v\(index)]")
      filters.append("\(canvas)[c\(index)]")
      canvas =
        "[c\(index)][v\(index)]overlay=x=\(cell.x)+(\(cell.width)-overlay_w)/2:y=(\(height)-overlay_h)/2:eof_action=pass"
    }
    return filters + ["\(canvas)\(cut("trim", "setpts"))[video]"]
  }

  /// Filters that leave the span alone, beginning at zero.
  private func cut(_ trim: String, _ setTimes: String) -> String {
    guard let span else { return "" }
    let (start, end) = (Self.seconds(span.start), Self.seconds(min(span.end, durationMilliseconds)))
    return ",\(trim)=start=\(start):end=\(end),\(setTimes)=PTS-STARTPTS"
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    "\(milliseconds / 1_000).\(String(1_000 + milliseconds % 1_000).dropFirst())"
  }

  /// Fits frames of any size into a cell, computed for each, with two pixels at least.
  private func scaling(into cell: Cell) -> String {
    let width = "max(2,2*trunc(min(\(cell.width),\(height)*in_w/in_h)/2))"
    let height = "max(2,2*trunc(min(\(self.height),\(cell.width)*in_h/in_w)/2))"
    return "scale=w='\(width)':h='\(height)':eval=frame"
  }

  private var soundFilters: [String] {
    let inputs = sounds.map { "[\($0):a]aresample=48000:async=1[a\($0)]" }
    switch sounds.count {
    case 0: return []
    case 1: return ["[\(sounds[0]):a]aresample=48000:async=1\(cut("atrim", "asetpts"))[sound]"]
    default:
      let all = sounds.map { "[a\($0)]" }.joined()
      return inputs + [
        "\(all)amix=inputs=\(sounds.count):duration=longest:normalize=0,alimiter=limit=0.95:level=0\(cut("atrim", "asetpts"))[sound]"
      ]
    }
  }
}

extension ExportTrack {
  /// Pixels of the first frame.
  fileprivate var frameSize: (width: Int, height: Int)? {
    guard case .video(let video) = media, video.width > 0, video.height > 0 else { return nil }
    return (Int(video.width), Int(video.height))
  }
}
