import ALSAAudio
import ControlMessages
import DeviceConfiguration
import MediaCore
import MediaPlaneAPI
import EventRules

/// Whether sound can be captured and played, and how much echo is taken out.
struct SoundCheck {
  /// Decibels; with less, callers hear themselves.
  private static let leastReduction = 10.0

  let subject: Subject
  /// Whether `auto` has to find a card: one that is missing is a doubt for people, and for an update a lost driver.
  var needsCard = false
  private var settings: AudioSettings { subject.configuration.audio }

  func microphone() -> [Finding] { capture() + muted(.capture, .microphone) }

  private func capture() -> [Finding] {
    if let status = subject.daemon.status { return DeviceReport(status: status).findings(.microphone, .microphone) }
    switch settings.microphone {
    case .none: return [Finding(.microphone, .ok, "none is configured")]
    case .testTone: return [Finding(.microphone, .ok, "a test tone is configured")]
    case .file(let path, _): return [file(path, .microphone, subject.account)]
    case .program(let program):
      return [ProgramCheck(part: .microphone, account: subject.account).source(program.command)]
    case .device(let name): return [card(name, .capture, .microphone)]
    case .automatic:
      guard let first = AudioDeviceList.current().inPreference(for: .capture).first else {
        return [noCard(.microphone, "so a test tone is sent")]
      }
      return [card(first.name, .capture, .microphone)]
    }
  }

  func speaker() -> [Finding] {
    loudspeaker() + muted(.playback, .speaker) + speech(isInstalled: SpeechSynthesizer.isInstalled)
  }

  /// What the texts of `[sounds]` need.
  func speech(isInstalled: Bool) -> [Finding] {
    let speaks = subject.configuration.sounds.announcements.contains { if case .speech = $0 { true } else { false } }
    guard speaks, settings.speaker != .none, !isInstalled else { return [] }
    return [
      Finding(
        .speaker, .failure, "[sounds] has texts, but espeak-ng, which speaks them, is not installed",
        remedy: "run: apt-get install espeak-ng")
    ]
  }

  private func loudspeaker() -> [Finding] {
    if let status = subject.daemon.status { return DeviceReport(status: status).findings(.speaker, .speaker) }
    switch settings.speaker {
    case .none: return [Finding(.speaker, .ok, "none is configured")]
    case .device(let name): return [card(name, .playback, .speaker)]
    case .automatic:
      guard let first = AudioDeviceList.current().inPreference(for: .playback).first else {
        return [noCard(.speaker, "so callers are not heard")]
      }
      return [card(first.name, .playback, .speaker)]
    }
  }

  func echo() -> [Finding] {
    guard settings.speaker != .none else { return [Finding(.echo, .ok, "there is no loudspeaker")] }
    switch settings.echoCancellation {
    case .off: return [Finding(.echo, .ok, "echo cancellation is off")]
    case .halfDuplex: return [Finding(.echo, .ok, "the microphone is turned down while the loudspeaker plays")]
    case .fullDuplex: return [cancellation()]
    }
  }
}

extension SoundCheck {
  /// The mixer settings that silence the card in use. Does not interrupt playback.
  private func muted(_ direction: AudioDirection, _ part: Finding.Part) -> [Finding] {
    guard let device = device(direction), let problem = AudioMixer.muteProblem(of: device, direction) else { return [] }
    let card = AudioMixer.card(of: device)
    return [
      Finding(
        part, .warning, "\(device) is silent: \(problem) in the card's mixer",
        remedy: "turn it up with alsamixer -D \(card), and run alsactl store as root to keep that")
    ]
  }

  /// The card that is used; nil for none, and for what is none.
  private func device(_ direction: AudioDirection) -> String? {
    let target: MuteTarget = direction == .capture ? .microphone : .speaker
    if let status = subject.daemon.status {
      // What captures a tone, a file or a program has no mixer.
      return status.devices.first { device in
        device.target == target && !["test:", "file:", "exec:"].contains { device.name.hasPrefix($0) }
      }
      .flatMap { $0.name == "none" ? nil : $0.name == "auto" ? Self.automatic(direction) : $0.name }
    }
    switch direction {
    case .capture:
      switch settings.microphone {
      case .none, .testTone, .file, .program: return nil
      case .device(let name): return name
      case .automatic: return Self.automatic(direction)
      }
    case .playback:
      switch settings.speaker {
      case .none: return nil
      case .device(let name): return name
      case .automatic: return Self.automatic(direction)
      }
    }
  }

  private static func automatic(_ direction: AudioDirection) -> String? {
    AudioDeviceList.current().inPreference(for: direction).first?.name
  }

  /// Opens a card for a moment; one that a daemon of unknown state may hold is left alone.
  private func card(_ name: String, _ direction: AudioDirection, _ part: Finding.Part) -> Finding {
    guard !subject.daemon.isThere else {
      return Finding(part, .warning, "\(name) was left alone: the daemon may use it")
    }
    do throws(ALSAError) {
      let abilities = try AudioDeviceList.capabilities(of: name, direction)
      return Finding(part, .ok, "\(name): \(Self.span(abilities.rates)) Hz, \(Self.span(abilities.channels)) channels")
    } catch {
      return Finding(part, .failure, error.description)
    }
  }

  private func noCard(_ part: Finding.Part, _ consequence: String) -> Finding {
    if let problem = AudioDeviceList.accessProblem { return Finding(part, .failure, problem.description) }
    return Finding(
      part, needsCard ? .failure : .warning, "no sound card has one, \(consequence)",
      remedy: "plug one in; on a device without, set \(part.rawValue) = \"none\" in [audio]")
  }

  private static func span(_ values: [Int]) -> String {
    guard let first = values.first, let last = values.last else { return "unknown" }
    return first == last ? "\(first)" : "\(first) to \(last)"
  }

  private func cancellation() -> Finding {
    guard let sound = subject.daemon.figures?.media.sound, let delay = sound.echoDelay else {
      return Finding(.echo, .ok, "the delay is not known yet: it is measured in the first call that is heard here")
    }
    let text = "comes \(Int(saturating: delay.rounded())) ms after it is played"
    guard let reduction = sound.echoReturnLossEnhancement else { return Finding(.echo, .ok, text) }
    let reduced = "\(text), and is lowered by \(Int(saturating: reduction.rounded())) dB"
    guard reduction < Self.leastReduction else { return Finding(.echo, .ok, reduced) }
    return Finding(
      .echo, .warning, reduced,
      remedy: "turn the loudspeaker down or move it away from the microphone; else echo_cancellation = \"half-duplex\"")
  }
}
