import Archive
import MediaCore
import WebM

/// How parties are laid out beside each other, and what ffmpeg has to be told for it.
///
/// Every party's picture is scaled to the same height and laid onto a black canvas that lasts as long as the archive, so a
/// party without pictures, or one that comes late or leaves early, is black. Track number n is read from descriptor
/// `firstInput` + n.
struct SideBySide: Hashable {
  /// A party's place in the picture, in pixels.
  struct Cell: Hashable {
    var x: Int
    var width: Int
    /// The input with its pictures; `nil` if it has none.
    var input: Int?
  }

  private(set) var cells: [Cell] = []
  private(set) var height = 0
  /// The inputs with sound.
  private(set) var sounds: [Int] = []
  private let inputCount: Int
  private let durationMilliseconds: Int64

  static let firstInput = 3
  private static let rate = 30

  init(_ join: ArchiveJoin) throws(ExportError) {
    try self.init(join.tracks, durationMilliseconds: join.durationMilliseconds)
  }

  init(_ tracks: [JoinTrack], durationMilliseconds: Int64) throws(ExportError) {
    inputCount = tracks.count
    self.durationMilliseconds = durationMilliseconds
    height = tracks.compactMap(\.pictureSize?.height).max() ?? 0
    guard height > 0 else { throw .noPictures }
    height += height % 2
    sounds = tracks.indices.filter { tracks[$0].kind == .audio }
    var streamIDs: [String] = []
    for track in tracks where !streamIDs.contains(track.streamID) { streamIDs.append(track.streamID) }
    for streamID in streamIDs { addCell(tracks.firstIndex { $0.streamID == streamID && $0.kind == .video }, tracks) }
  }

  private mutating func addCell(_ input: Int?, _ tracks: [JoinTrack]) {
    let size = input.flatMap { tracks[$0].pictureSize } ?? (width: 4, height: 3)
    let width = max(2, (height * size.width / max(1, size.height) + 1) / 2 * 2)
    cells.append(Cell(x: cells.last.map { $0.x + $0.width } ?? 0, width: width, input: input))
  }

  var width: Int { cells.last.map { $0.x + $0.width } ?? 0 }

  /// The whole command line behind the program's name. Nothing in it ever passes a shell.
  func arguments(format: RenderFormat, output: String) -> [String] {
    var arguments = ["-hide_banner", "-nostdin", "-v", "error", "-copyts"]
    for input in 0..<inputCount { arguments += inputArguments(input) }
    arguments += ["-filter_complex", filters, "-map", "[picture]"]
    if !sounds.isEmpty { arguments += ["-map", "[sound]"] }
    // A name that starts with a dash is no option when a protocol stands before it.
    return arguments + format.arguments + ["-y", "file:" + output]
  }

  /// A picture that changes its size is scaled anew; the filters must not start again for it.
  private func inputArguments(_ input: Int) -> [String] {
    let scaling = sounds.contains(input) ? [] : ["-reinit_filter", "0"]
    return scaling + ["-f", "matroska", "-i", "pipe:\(Self.firstInput + input)"]
  }

  private var filters: String { (pictureFilters + soundFilters).joined(separator: ";") }

  private var pictureFilters: [String] {
    let duration = "\(durationMilliseconds / 1_000).\(String(1_000 + durationMilliseconds % 1_000).dropFirst())"
    var filters: [String] = []
    var canvas = "color=c=black:s=\(width)x\(height):r=\(Self.rate):d=\(duration),format=yuv420p"
    for (index, cell) in cells.enumerated() {
      guard let input = cell.input else { continue }
      filters.append(
        "[\(input):v]scale=w=\(cell.width):h=\(height):force_original_aspect_ratio=decrease,setsar=1[v\(index)]")
      filters.append("\(canvas)[c\(index)]")
      canvas =
        "[c\(index)][v\(index)]overlay=x=\(cell.x)+(\(cell.width)-overlay_w)/2:y=(\(height)-overlay_h)/2:eof_action=pass"
    }
    return filters + ["\(canvas)[picture]"]
  }

  private var soundFilters: [String] {
    let inputs = sounds.map { "[\($0):a]aresample=48000:async=1[a\($0)]" }
    switch sounds.count {
    case 0: return []
    case 1: return ["[\(sounds[0]):a]aresample=48000:async=1[sound]"]
    default:
      let all = sounds.map { "[a\($0)]" }.joined()
      return inputs + [
        "\(all)amix=inputs=\(sounds.count):duration=longest:normalize=0,alimiter=limit=0.95:level=0[sound]"
      ]
    }
  }
}

extension JoinTrack {
  /// Pixels of the first picture.
  fileprivate var pictureSize: (width: Int, height: Int)? {
    guard case .video(let video) = media else { return nil }
    return (Int(video.width), Int(video.height))
  }
}
