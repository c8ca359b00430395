internal import CALSA

/// Which way sound goes.
public enum AudioDirection: Sendable, Hashable {
  case capture
  case playback
}

/// The native capabilities of a sound device that this project can use.
public struct AudioDeviceCapabilities: Sendable, Hashable {
  /// ALSA's names, such as `S16_LE`; the one that is used first.
  public var formats: [String]
  /// Hertz, ascending.
  public var rates: [Int]
  /// Of 1 to 32.
  public var channels: [Int]
}

extension AudioDeviceList {
  /// Asks a device, which is opened for a moment without capturing or playing.
  ///
  /// Throws when it cannot be opened now: it may be in use (`EBUSY`) or absent.
  public static func capabilities(
    of name: String, _ direction: AudioDirection
  ) throws(ALSAError) -> AudioDeviceCapabilities {
    let pcm = try ALSAStream.open(name, direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK)
    defer { snd_pcm_close(pcm) }
    let parameters = try ALSAParameters(pcm, device: name)
    return AudioDeviceCapabilities(
      formats: ALSAParameters.formats.filter { parameters.has(format: $0.code) }.map(\.format.title),
      rates: ALSAParameters.rates.filter { parameters.has(rate: $0) }.map { Int($0) }.sorted(),
      channels: (1...ALSAParameters.maxChannels).filter { parameters.has(channels: $0) })
  }
}
