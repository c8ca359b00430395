import Foundation
import TestSupport

/// A synthetic clip whose every picture follows from its kind and seed, and what is to be noticed in it.
final class Clip {
  enum Kind: String, CaseIterable {
    case quiet, night, rain, leaves, shadows, lamp, exposure, shake, slow, storm
  }

  let kind: Kind
  let frames: Int
  /// Frames in which a subject is seen.
  let truths: [ClosedRange<Int>]
  private let subjects: [Subject]
  private let backdrop: Plane
  private let behind: [any Disturbance]
  private let before: [any Disturbance]
  private let noise: SensorNoise
  let picture = Plane(width: Frame.width, height: Frame.height)

  init(_ kind: Kind, seed: UInt64, minutes: Int, isEmpty: Bool = false) {
    var random = Random(seed: seed &* 7_919 &+ UInt64(Kind.allCases.firstIndex(of: kind)!))
    self.kind = kind
    frames = minutes * 60 * Frame.rate
    backdrop = makeBackdrop(&random)
    let isDark = kind == .night
    if isDark { darken(backdrop, &random) }
    (behind, before) = Self.disturbances(kind, frames, &random)
    noise = SensorNoise(deviation: isDark ? random.number(6...9) : random.number(1.5...3.5), seed: random.next())
    let subjects = isEmpty ? [] : Self.subjects(kind, frames, backdrop, &random)
    self.subjects = subjects
    truths = subjects.map { subject in
      let seen = (subject.first...subject.last).filter { subject.isSeen($0) }
      return (seen.first ?? subject.first)...(seen.last ?? subject.first)
    }
  }

  private static func disturbances(
    _ kind: Kind, _ frames: Int, _ random: inout Random
  ) -> ([any Disturbance], [any Disturbance]) {
    switch kind {
    case .quiet, .night, .slow: return ([], [])
    case .rain: return ([], [Rain(seed: random.next(), drops: random.whole(150...600), brightness: random.whole(20...60))])
    case .leaves: return ([Foliage(brightness: 1, &random)], [])
    case .shadows: return ([PassingShadows(frames: frames, &random), Clouds(&random)], [])
    case .lamp: return ([], [Lamp(frames: frames, &random)])
    case .exposure: return ([], [Exposure(frames: frames, &random)])
    case .shake: return ([], [Shake(&random)])
    case .storm:
      let rain = Rain(seed: random.next(), drops: random.whole(150...500), brightness: random.whole(20...50))
      return ([Foliage(brightness: 1, &random), Clouds(&random)], [Exposure(frames: frames, &random), rain])
    }
  }

  /// They come after ten seconds, one after the other with some time between.
  private static func subjects(
    _ kind: Kind, _ frames: Int, _ backdrop: Plane, _ random: inout Random
  ) -> [Subject] {
    var (subjects, frame) = ([Subject](), random.whole(100...250))
    let kinds: [Subject.Kind] = kind == .slow ? [.slow] : [.small, .person, .large]
    while true {
      let subject = Subject(
        kinds[random.whole(0...kinds.count - 1)], at: frame, before: backdrop, contrast: kind == .night ? 14 : 28,
        tones: kind == .night ? 12...75 : 20...235, &random)
      guard subject.last < frames - 50 else { return subjects }
      subjects.append(subject)
      frame = subject.last + random.whole(200...500)
    }
  }

  /// Draws picture number `frame`.
  func draw(_ frame: Int) {
    picture.copy(from: backdrop)
    for disturbance in behind where disturbance is Foliage { disturbance.draw(on: picture, frame) }
    for subject in subjects { subject.draw(on: picture, frame) }
    for disturbance in behind where !(disturbance is Foliage) { disturbance.draw(on: picture, frame) }
    for disturbance in before { disturbance.draw(on: picture, frame) }
    noise.draw(on: picture, frame)
  }
}

/// A night with a lamp somewhere.
private func darken(_ backdrop: Plane, _ random: inout Random) {
  let (cx, cy) = (random.number(0...640), random.number(0...300))
  for index in 0..<Frame.count {
    let (dx, dy) = (Double(index % Frame.width) - cx, Double(index / Frame.width) - cy)
    let light = 0.14 + 0.12 * exp(-(dx * dx + dy * dy).squareRoot() / 200)
    backdrop.bytes[index] = clamped(10 + Double(backdrop.bytes[index]) * light)
  }
}
