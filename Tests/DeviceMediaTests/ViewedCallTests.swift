import MediaCore
import MediaPlaneAPI
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Another camera in a call", .timeLimit(.minutes(1)))
struct ViewedCallTests {
  private func cameras(_ media: DeviceMedia) async -> [String] {
    await media.status().devices.filter { $0.target == .camera }.map(\.state)
  }

  @Test func `the pictures go on with a key frame of the chosen camera, later than those before`() async throws {
    let call = try await ViewedCall()
    let media = call.media
    try await call.connect()
    #expect(try await call.sees(width: ViewedCall.width))
    #expect(await cameras(media) == ["streaming", "idle"])
    try await call.media.show(.camera("yard"), sessionID: "call")
    #expect(try await call.sees(width: ViewedCall.yardWidth))
    #expect(await eventually { await cameras(media) == ["idle", "streaming"] })
    try await call.media.show(.main, sessionID: "call")
    #expect(try await call.sees(width: ViewedCall.width))
    #expect(await eventually { await cameras(media) == ["streaming", "idle"] })
    let widths = call.frames.compactMap(\.width)
    #expect(Array(widths.reduce(into: []) { if $0.last != $1 { $0.append($1) } }) == [320, 160, 320])
    let times = call.frames.map(\.timestamp)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    await call.end()
  }

  @Test func `all cameras are seen in one picture, and closed afterwards`() async throws {
    let call = try await ViewedCall()
    let media = call.media
    try await call.connect()
    #expect(try await call.sees(width: ViewedCall.width))
    try await call.media.show(.mosaic, sessionID: "call")
    #expect(try await call.sees(width: ViewedCall.mosaicWidth))
    #expect(await cameras(media) == ["streaming", "streaming"])
    // Both halves have a picture of their own by now, which the dark bars above and below do not.
    #expect(try await call.watch { $0.count > 60 })
    let picture = try #require(try call.lastFrame())
    #expect((picture.width, picture.height) == (ViewedCall.mosaicWidth, 180))
    let spread = [(0, 45), (120, 45), (0, 0), (120, 0)].map { picture.spread(x: $0.0, y: $0.1, width: 120, height: 40) }
    #expect(spread[0] > 60 && spread[1] > 60 && spread[2] < 30 && spread[3] < 30, "\(spread)")
    try await call.media.show(.main, sessionID: "call")
    #expect(try await call.sees(width: ViewedCall.width))
    #expect(await eventually { await cameras(media) == ["streaming", "idle"] })
    await call.end()
  }
}
