internal import MediaCore
internal import VideoOverlay
internal import PixelConversion
internal import RealtimeRuntime

/// Shows the frames of several cameras in one, at the pace of the clock; a camera that gives none has a dark field with
/// its name.
///
/// All memory is taken when it is made; a camera's frame that has no proportion of its field that libyuv has code for
/// costs libyuv a row for the time of scaling.
final class MosaicSource: FrameSource {
  let description: VideoSourceDescription
  private var fields: [Field]
  private var canvas: I420Buffer
  private var pace: PacedWait

  private struct Field {
    let tap: FrameTap
    let use: FrameTap.Use
    let area: FrameArea
    let label: Label?
    /// Where the camera's frame stands; nil while the field is dark.
    var shown: FrameArea?
    var lastFrame: MonotonicInstant?
  }

  private struct Label {
    let box: TextBox
    let x: Int
    let y: Int
  }

  /// Some cameras deliver one frame a second.
  private static let timeout = TimeSpan.seconds(3)
  private static let dark = YUVColour(y: 24)

  init(_ cameras: [MosaicCamera], _ request: SourceRequest) {
    let layout = MosaicLayout(width: request.width, height: request.height, count: cameras.count)
    description = VideoSourceDescription(
      name: "mosaic",
      text: "\(layout.fields.count) cameras, \(layout.width)×\(layout.height) at \(request.frameRate)/s",
      width: layout.width, height: layout.height, frameRate: Double(request.frameRate))
    fields = zip(cameras, layout.fields).map { camera, area in
      Field(tap: camera.tap, use: camera.tap.begin(), area: area, label: Self.label(camera.name, area))
    }
    canvas = I420Buffer(width: layout.width, height: layout.height)
    pace = PacedWait(FramePace(start: MonotonicClock.now(), frameRate: Int64(request.frameRate)))
    canvas.fill(canvas.area, with: Self.dark)
    for index in fields.indices { darken(index) }
  }

  deinit {
    for field in fields { field.tap.end(field.use) }
  }

  /// The camera's name in the middle of its field; nil where there is no room.
  private static func label(_ name: String, _ area: FrameArea) -> Label? {
    let codes = name.unicodeScalars.compactMap { BitmapFont.code(of: $0) }
    let placement = TextPlacement(
      columns: codes.count, lines: 1, size: .large, corner: .topLeft, frameWidth: area.width,
      frameHeight: area.height)
    guard let placement else { return nil }
    var box = TextBox(columns: placement.columns, lines: 1, scale: placement.scale)
    box.write(codes.span, line: 0)
    return Label(
      box: box, x: area.x + (area.width - box.width) / 2 & ~1, y: area.y + (area.height - box.height) / 2 & ~1)
  }

  func next(into target: FrameSlot?, until stop: EventDescriptor) -> FrameOutcome {
    guard let instant = pace.next(until: stop) else { return .nothing }
    update(now: instant)
    if let target { FrameScaler.scale(canvas, to: target.image.area, of: &target.image) }
    return .frame(instant)
  }

  /// Takes what has come from the cameras.
  func update(now: MonotonicInstant) {
    // An iterator would be allocated for each frame in a debug build.
    for index in fields.indices {
      let (tap, use) = (fields[index].tap, fields[index].use)
      if !tap.take(use, { show($0, index, at: $1) }) { forget(index, now: now) }
    }
  }

  private func show(_ image: borrowing I420Buffer, _ index: Int, at time: MonotonicInstant) {
    let area = MosaicLayout.fit(width: image.width, height: image.height, into: fields[index].area)
    if fields[index].shown != area { canvas.fill(fields[index].area, with: Self.dark) }
    FrameScaler.scale(image, to: area, of: &canvas)
    (fields[index].shown, fields[index].lastFrame) = (area, time)
  }

  /// What was seen too long ago is not shown any more.
  private func forget(_ index: Int, now: MonotonicInstant) {
    guard fields[index].shown != nil, let last = fields[index].lastFrame, now - last > Self.timeout else { return }
    darken(index)
  }

  private func darken(_ index: Int) {
    canvas.fill(fields[index].area, with: Self.dark)
    fields[index].shown = nil
    if let label = fields[index].label { label.box.draw(into: &canvas, x: label.x, y: label.y) }
  }
}
