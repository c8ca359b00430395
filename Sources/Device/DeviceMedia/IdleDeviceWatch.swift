import MediaCore
import MediaPlaneAPI

/// Probes unused devices: once at the start, at cameras every minute, at sound cards, of which some click when
/// they are opened, every ten minutes, and at what does not work every minute.
struct IdleDeviceWatch: Sendable {
  struct Device: Sendable {
    var target: MuteTarget
    /// The name of a further camera.
    var camera: String?
    /// Says why it cannot work; nil if nothing speaks against it.
    var probe: @Sendable () async -> String?
  }

  let devices: [Device]
  let queue: MediaEventQueue
  let clock: MediaClock

  private static let interval = TimeSpan.seconds(60)
  private static let soundRounds = 10

  /// Probes until the task is cancelled.
  ///
  /// - Parameter isIdle: whether a device is unused; nil ends it.
  func run(_ isIdle: (Device) async -> Bool?) async {
    var round = 0
    while !Task.isCancelled {
      for device in devices where isDue(device, round) {
        guard let wasIdle = await isIdle(device) else { return }
        guard wasIdle else { continue }
        let problem = await device.probe()
        // A session that opens the device meanwhile learns more, and makes it busy.
        if await isIdle(device) == true { note(problem, device) }
      }
      round += 1
      try? await clock.sleep(Self.interval)
    }
  }

  private func isDue(_ device: Device, _ round: Int) -> Bool {
    device.target == .camera || round % Self.soundRounds == 0 || queue.problems.lasts(DevicePart(device.target))
  }

  private func note(_ problem: String?, _ device: Device) {
    let part = DevicePart(device.target)
    guard let problem else { return queue.problems.end(part, device.camera) }
    guard !queue.problems.lasts(part, device.camera) else { return }
    queue.report(.deviceFailed(device.target, camera: device.camera, reason: problem))
  }
}
