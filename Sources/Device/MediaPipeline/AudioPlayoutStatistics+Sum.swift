extension AudioPlayoutStatistics {
  /// Before anything was played.
  public static var none: AudioPlayoutStatistics { AudioPlayoutStatistics() }

  /// The counters of two playouts together.
  public static func + (first: AudioPlayoutStatistics, second: AudioPlayoutStatistics) -> AudioPlayoutStatistics {
    AudioPlayoutStatistics(
      played: first.played + second.played, recovered: first.recovered + second.recovered,
      concealed: first.concealed + second.concealed, leftOut: first.leftOut + second.leftOut,
      lateOrRefused: first.lateOrRefused + second.lateOrRefused, underruns: first.underruns + second.underruns)
  }
}
