/// How the camera was tampered with.
public enum CameraTampering: String, Hashable, Sendable, CaseIterable {
  /// Neither the scene nor much else is visible.
  case covered
  /// It shows another scene.
  case moved
  /// The scene is visible without its detail.
  case defocused
}

/// Notices that the camera is covered, moved or out of focus, by comparing the structure of the frame with the learned
/// one.
///
/// Twice a second. A finding has to hold for two seconds, and so has its end. A finding is reported as long as it
/// lasts, until another view has been the same for ten minutes and becomes the one that is learned.
struct TamperWatch: ~Copyable {
  private var structure: SceneStructure
  private(set) var state: CameraTampering?
  private var candidate: CameraTampering?
  /// Checks for which the candidate has been the same.
  private var checks = 0
  private var stepsInState = 0
  private var learned = 0
  private var frames = 0

  private static let framesPerStep = 5
  private static let learningSteps = 10
  private static let maxLearned = 128
  private static let leastSteps = 5
  private static let acceptAfterSteps = 1_200

  init(_ grid: CellGrid) { structure = SceneStructure(grid) }

  mutating func analyze(at luma: borrowing CellPlane<UInt8>) {
    structure.analyze(at: luma)
    frames += 1
    guard frames % Self.framesPerStep == 0 else { return }
    guard learned >= Self.learningSteps else { return learn() }
    compare()
  }

  private mutating func learn() {
    learned = min(learned + 1, Self.maxLearned)
    structure.learn(weight: Int32(clamping: learned))
  }

  private mutating func compare() {
    let found = structure.compare()?.tampering
    // Its kind may seem to vary from moment to moment: it is reported as first found.
    checks = (found == nil) == (candidate == nil) ? checks + 1 : 1
    candidate = found
    if checks >= Self.leastSteps, (state == nil) != (found == nil) {
      state = found
      stepsInState = 0
    }
    follow()
  }

  private mutating func follow() {
    if state == nil, candidate == nil { learn() }
    stepsInState = min(stepsInState + 1, Self.acceptAfterSteps)
    guard state == .moved, stepsInState >= Self.acceptAfterSteps else { return }
    (state, candidate, checks, learned) = (nil, nil, 0, 0)
  }
}

extension SceneStructure.Comparison {
  /// What the figures mean.
  fileprivate var tampering: CameraTampering? {
    if matchingShare >= 60 { return sharpness < 42 ? .defocused : nil }
    if matchingShare >= 25 { return sharpness < 42 && coarseShare >= 60 ? .defocused : nil }
    return detail < 30 ? .covered : .moved
  }
}
