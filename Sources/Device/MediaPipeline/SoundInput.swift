internal import ALSAAudio
internal import MediaCodecs
internal import MediaCore

/// What ``MicrophoneLoop`` captures from.
protocol SoundInput: ~Copyable {
  /// By which people know it.
  var name: String { get }
  /// How it captures.
  var summary: String { get }
  /// Hertz.
  var rate: Int { get }
  var limits: SourceLimits { get }

  /// Waits for sound, and reads it as far as it fits.
  mutating func next(
    into output: inout MutableSpan<Int16>, timeout: TimeSpan
  ) throws(MicrophoneFailure) -> AudioReadOutcome
}

extension ALSACapture: SoundInput {
  var name: String { device }
  var summary: String { description }
  var limits: SourceLimits { .device }

  mutating func next(
    into output: inout MutableSpan<Int16>, timeout: TimeSpan
  ) throws(MicrophoneFailure) -> AudioReadOutcome {
    do throws(ALSAError) { return try read(into: &output, timeout: timeout) } catch { throw .card(error) }
  }
}

extension ProgramMicrophone: SoundInput {
  var name: String { program.name }
  var summary: String {
    "s16le, \(program.rate) Hz, \(program.channels == 1 ? "mono" : "\(program.channels) channels")"
  }
  var rate: Int { program.rate }
  var limits: SourceLimits { .program(of: "sound") }

  mutating func next(
    into output: inout MutableSpan<Int16>, timeout: TimeSpan
  ) throws(MicrophoneFailure) -> AudioReadOutcome {
    do throws(SourceFailure) { return try read(into: &output, timeout: timeout) } catch { throw .program(error) }
  }
}

/// Why a microphone delivers nothing.
enum MicrophoneFailure: Error, CustomStringConvertible {
  case card(ALSAError)
  case program(SourceFailure)
  case resampler(AudioResamplerError)
  case stalled(device: String, limit: TimeSpan, remedy: String?)
  case encoder(OpusError)

  /// The device that failed.
  var device: String? {
    switch self {
    case .card(let error): error.device
    case .stalled(let device, _, _): device
    case .program, .resampler, .encoder: nil
    }
  }

  var description: String {
    switch self {
    case .card(let error): error.description
    case .program(let failure): failure.reason
    case .resampler(let error): error.description
    case .stalled(let device, let limit, let remedy):
      "\(device): no sound for \(limit.milliseconds / 1_000) s\(remedy.map { "; \($0)" } ?? "")"
    case .encoder(let error): error.description
    }
  }
}
