import MediaCore

extension WebMHeader {
  /// Writes both track entries, or a Void of the same size for one that the file does not have (yet).
  func writeTracks(_ writer: inout EBMLWriter) {
    writer.writeMaster(.tracks) { tracks in
      Self.writeVideoEntry(&tracks, video ?? WebMVideoTrack(width: 0, height: 0), isPresent: video != nil)
      Self.writeAudioEntry(&tracks, audio ?? WebMAudioTrack(channels: 1), isPresent: audio != nil)
    }
  }

  private static func writeVideoEntry(_ writer: inout EBMLWriter, _ track: WebMVideoTrack, isPresent: Bool) {
    writeEntry(&writer, isPresent: isPresent) { entry in
      writeCommon(&entry, .video, trackType: 1)
      entry.writeString(.codecID, "V_VP8")
      entry.writeMaster(.video) { video in
        video.writeUnsigned(.pixelWidth, UInt64(track.width), width: 2)
        video.writeUnsigned(.pixelHeight, UInt64(track.height), width: 2)
      }
    }
  }

  private static func writeAudioEntry(_ writer: inout EBMLWriter, _ track: WebMAudioTrack, isPresent: Bool) {
    writeEntry(&writer, isPresent: isPresent) { entry in
      writeCommon(&entry, .audio, trackType: 2)
      entry.writeString(.codecID, "A_OPUS")
      writeOpusHead(&entry, channels: track.channels)
      entry.writeUnsigned(.codecDelay, WebMAudioTrack.codecDelay, width: 4)
      entry.writeUnsigned(.seekPreRoll, WebMAudioTrack.seekPreRoll, width: 4)
      entry.writeMaster(.audio) { audio in
        audio.writeFloat(.samplingFrequency, 48_000)
        audio.writeUnsigned(.channels, UInt64(track.channels), width: 1)
      }
    }
  }

  private static func writeEntry(
    _ writer: inout EBMLWriter, isPresent: Bool, _ body: (inout EBMLWriter) -> Void
  ) {
    var entry = EBMLWriter(capacity: 128)
    entry.writeMaster(.trackEntry, body)
    if isPresent {
      entry.withBytes { writer.write($0) }
    } else {
      writer.writeVoid(total: entry.count)
    }
  }

  private static func writeCommon(_ entry: inout EBMLWriter, _ kind: MediaKind, trackType: UInt64) {
    entry.writeUnsigned(.trackNumber, UInt64(kind.trackNumber))
    entry.writeUnsigned(.trackUID, UInt64(kind.trackNumber))
    entry.writeUnsigned(.trackType, trackType)
    entry.writeUnsigned(.flagLacing, 0)
  }

  /// The identification header of RFC 7845 §5.1, which is a track's CodecPrivate; 19 bytes.
  static func writeOpusHead(_ entry: inout EBMLWriter, channels: UInt8) {
    entry.write(.codecPrivate)
    entry.writeSize(19)
    for byte in "OpusHead".utf8 { entry.writeBigEndian(UInt64(byte), width: 1) }
    entry.writeBigEndian(1, width: 1)
    entry.writeBigEndian(UInt64(channels), width: 1)
    entry.writeBigEndian(UInt64(WebMAudioTrack.preSkip.byteSwapped), width: 2)
    entry.writeBigEndian(UInt64(UInt32(48_000).byteSwapped), width: 4)
    entry.writeBigEndian(0, width: 3)
  }
}
