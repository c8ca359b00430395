import MediaCore

/// The queuing delay, separated from jitter: the fastest packet of each tenth of a second, against the
/// fastest of the last 10 to 20 s.
///
/// A standing queue holds up every packet, jitter does not. Where the fastest packets become slower at once, by much, and stay
/// so without getting slower still, the path itself has become longer, and that is the new measure.
struct QueuingDelayFilter {
  private static var window: TimeSpan { .milliseconds(100) }
  private static var packetsPerWindow: Int { 3 }
  private static var memory: TimeSpan { .seconds(10) }
  /// More than a queue grows from one window to the next, except on a path too slow for video.
  private static var leastRouteChange: TimeSpan { .milliseconds(100) }
  /// How long a longer path has to stay unchanged.
  private static var routeChangeTrial: TimeSpan { .milliseconds(1_500) }
  /// A clock was set, or the stream paused.
  private static var pause: TimeSpan { .seconds(3) }
  private static var smallestQueue: TimeSpan { .milliseconds(20) }
  private static var smallestGrowth: TimeSpan { .milliseconds(5) }
  private static var standingQueue: TimeSpan { .milliseconds(30) }
  private static var longQueue: TimeSpan { .milliseconds(60) }

  private struct Window {
    var began: TimeSpan
    var floor: TimeSpan
    var packetCount = 1
  }

  private struct RouteChange {
    var before: TimeSpan
    var height: TimeSpan
    var at: TimeSpan
    /// Since the change.
    var floor: TimeSpan
  }

  private var noise = DelayNoise()
  private var current: Window?
  /// The floors of the last windows, the newest first.
  private var floors = InlineArray<3, TimeSpan>(repeating: .zero)
  private var floorCount = 0
  private var fastest = TimeSpan.zero
  private var fastestBefore = TimeSpan.zero
  private var memoryStart = TimeSpan.zero
  private var newest = TimeSpan.zero
  private var routeChange: RouteChange?

  /// Takes a packet; `rate` is what arrives on the average, or what the path is known to take, in bits a second.
  mutating func add(sent: TimeSpan, arrived: TimeSpan, byteCount: Int, drainingAt rate: Double) {
    let transit = arrived - sent
    guard let window = current, (arrived - newest).magnitude < Self.pause else {
      return begin(transit, at: arrived)
    }
    newest = max(newest, arrived)
    noise.add(sent: sent, arrived: arrived, byteCount: byteCount, drainingAt: rate)
    fastest = min(fastest, transit)
    guard arrived - window.began >= Self.window, window.packetCount >= Self.packetsPerWindow else {
      current?.floor = min(window.floor, transit)
      current?.packetCount += 1
      return
    }
    current = Window(began: arrived, floor: transit)
    close(window, at: arrived)
  }

  private mutating func begin(_ transit: TimeSpan, at time: TimeSpan) {
    self = QueuingDelayFilter()
    current = Window(began: time, floor: transit)
    fastest = transit
    fastestBefore = transit
    memoryStart = time
    newest = time
  }

  private mutating func close(_ window: Window, at time: TimeSpan) {
    follow(window, at: time)
    floors[2] = floors[1]
    floors[1] = floors[0]
    floors[0] = window.floor
    floorCount = min(floorCount + 1, 3)
    guard time - memoryStart >= Self.memory else { return }
    fastestBefore = fastest
    fastest = window.floor
    memoryStart = time
  }

  // MARK: Route changes

  private mutating func follow(_ window: Window, at time: TimeSpan) {
    guard var known = routeChange else { return detectRouteChange(window, at: time) }
    known.floor = min(known.floor, window.floor)
    routeChange = known
    if window.floor < known.before + known.height / 2 || window.floor > known.before + known.height * 5 / 4 {
      routeChange = nil
    } else if time - known.at >= Self.routeChangeTrial {
      accept(known.floor, at: time)
    }
  }

  private mutating func detectRouteChange(_ window: Window, at time: TimeSpan) {
    guard floorCount > 0 else { return }
    let height = window.floor - floors[0]
    guard height >= Self.leastRouteChange, height * 3 >= (window.floor - base) * 2 else { return }
    routeChange = RouteChange(before: floors[0], height: height, at: time, floor: window.floor)
    floorCount = 0
  }

  /// Takes the path to be longer from now on.
  private mutating func accept(_ floor: TimeSpan, at time: TimeSpan) {
    routeChange = nil
    fastest = floor
    fastestBefore = floor
    memoryStart = time
  }

  /// Takes what the fastest packets need now for the path's own delay.
  mutating func acceptPresent() {
    guard floorCount > 0 else { return }
    accept(lowest, at: newest)
  }

  // MARK: Results

  private var base: TimeSpan { min(fastest, fastestBefore) }

  private var newestDelay: TimeSpan { floors[0] - (routeChange?.floor ?? base) }

  private var lowest: TimeSpan {
    var lowest = current?.floor ?? floors[0]
    for index in 0..<max(1, floorCount) { lowest = min(lowest, floors[index]) }
    return lowest
  }

  /// What swings of the delay amount to lately.
  var allowance: TimeSpan { noise.allowance(at: newest) }

  /// How long the fastest packets of the last windows waited; zero while it is not known whether the path has become
  /// longer.
  var delay: TimeSpan { routeChange == nil && floorCount == 3 ? lowest - base : .zero }

  /// Whether they wait longer than noise and a frame's own packets explain.
  var isStanding: Bool { delay >= Self.standingQueue + allowance * 5 / 2 }

  /// Whether they wait too long for noise to explain it.
  var isLong: Bool { floorCount > 0 && newestDelay >= Self.longQueue + allowance * 5 / 2 }

  /// Whether they wait too long to add to it, even if it may be noise.
  var isNoticeable: Bool { floorCount > 0 && newestDelay >= Self.smallestQueue + allowance * 5 / 2 }

  /// Whether the fastest packets wait longer and longer, beyond what is noise.
  var isGrowing: Bool {
    guard floorCount == 3, floors[0] > floors[1], floors[0] - floors[2] >= Self.smallestGrowth else { return false }
    return floors[1] > floors[2] && newestDelay >= Self.smallestQueue + allowance * 3 / 2
  }
}
