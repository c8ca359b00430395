/// Everything before the first cluster of a joined file. Its size depends on the tracks alone, so that what only the end
/// reveals is written over it.
struct MuxedHeader: Sendable {
  var tracks: [WebMMuxedTrack]
  var title: String
  /// Nanoseconds since 2001-01-01 UTC; `nil` when the clock could not be trusted.
  var creationDate: Int64?

  /// Values known only at the end.
  struct Completion {
    var fileByteCount: UInt64
    var durationMilliseconds: Int64
    /// `nil` if the file has none.
    var cuesOffset: UInt64?
  }

  /// Offset of the Segment's content, which positions count from; the same as in recordings.
  static let segmentContentOffset = UInt64(WebMHeader.segmentContentOffset)
  private static let seekHeadByteCount = 84

  func encode(_ completion: Completion? = nil) -> [UInt8] {
    var info = EBMLWriter(capacity: 256)
    info.writeInfo(duration: completion?.durationMilliseconds, creationDate: creationDate, title: title)
    var writer = EBMLWriter(capacity: 1024 + 256 * tracks.count)
    WebMHeader().writeDocumentHeader(&writer)
    writeSegmentHeader(&writer, completion)
    writeSeekHead(&writer, infoByteCount: info.count, completion)
    info.withBytes { writer.write($0) }
    writer.writeMaster(.tracks) { entries in
      for (index, track) in tracks.enumerated() { Self.write(track, number: index + 1, to: &entries) }
    }
    return writer.bytes
  }

  private func writeSegmentHeader(_ writer: inout EBMLWriter, _ completion: Completion?) {
    writer.write(.segment)
    guard let completion else { return writer.writeUnknownSize() }
    writer.writeSize(Int(clamping: completion.fileByteCount - Self.segmentContentOffset), width: 8)
  }

  private func writeSeekHead(_ writer: inout EBMLWriter, infoByteCount: Int, _ completion: Completion?) {
    let start = writer.count
    writer.writeMaster(.seekHead) { head in
      head.writeSeek(.info, position: UInt64(Self.seekHeadByteCount), width: 8)
      head.writeSeek(.tracks, position: UInt64(Self.seekHeadByteCount + infoByteCount), width: 8)
      if let cuesOffset = completion?.cuesOffset {
        head.writeSeek(.cues, position: cuesOffset - Self.segmentContentOffset, width: 8)
      }
    }
    writer.writeVoid(total: Self.seekHeadByteCount - (writer.count - start))
  }

  private static func write(_ track: WebMMuxedTrack, number: Int, to writer: inout EBMLWriter) {
    writer.writeMaster(.trackEntry) { entry in
      entry.writeUnsigned(.trackNumber, UInt64(number))
      entry.writeUnsigned(.trackUID, UInt64(number))
      entry.writeUnsigned(.trackType, track.isVideo ? 1 : 2)
      entry.writeUnsigned(.flagDefault, track.isDefault ? 1 : 0)
      entry.writeUnsigned(.flagLacing, 0)
      entry.writeText(.name, track.name)
      entry.writeString(.language, "und")
      switch track.media {
      case .video(let video): write(video, to: &entry)
      case .audio(let audio): write(audio, to: &entry)
      }
    }
  }

  private static func write(_ video: WebMVideoTrack, to entry: inout EBMLWriter) {
    entry.writeString(.codecID, "V_VP8")
    entry.writeMaster(.video) { writer in
      writer.writeUnsigned(.pixelWidth, UInt64(video.width))
      writer.writeUnsigned(.pixelHeight, UInt64(video.height))
    }
  }

  private static func write(_ audio: WebMAudioTrack, to entry: inout EBMLWriter) {
    entry.writeString(.codecID, "A_OPUS")
    WebMHeader.writeOpusHead(&entry, channels: audio.channels)
    entry.writeUnsigned(.codecDelay, WebMAudioTrack.codecDelay)
    entry.writeUnsigned(.seekPreRoll, WebMAudioTrack.seekPreRoll)
    entry.writeMaster(.audio) { writer in
      writer.writeFloat(.samplingFrequency, 48_000)
      writer.writeUnsigned(.channels, UInt64(audio.channels))
    }
  }
}

extension EBMLWriter {
  mutating func writeText(_ id: ElementID, _ text: String) {
    let text = Array(text.utf8)
    write(id)
    writeSize(text.count)
    unsafe write(text.span.bytes)
  }
}
