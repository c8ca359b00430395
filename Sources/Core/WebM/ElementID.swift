/// An EBML element ID with its length marker, as the Matroska specification writes it (RFC 9559 §5).
public struct ElementID: RawRepresentable, Hashable, Sendable {
  /// 1 to 4 octets in network order, the marker bit included.
  public var rawValue: UInt32

  /// Accepts any number, also one without a marker.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Bytes that the ID occupies in a file.
  var byteCount: Int { (4 * 8 - rawValue.leadingZeroBitCount + 7) / 8 }
}

extension ElementID {
  // RFC 8794: elements of every EBML document.
  static let ebml = ElementID(rawValue: 0x1A45_DFA3)
  static let ebmlVersion = ElementID(rawValue: 0x4286)
  static let ebmlReadVersion = ElementID(rawValue: 0x42F7)
  static let ebmlMaxIDLength = ElementID(rawValue: 0x42F2)
  static let ebmlMaxSizeLength = ElementID(rawValue: 0x42F3)
  static let docType = ElementID(rawValue: 0x4282)
  static let docTypeVersion = ElementID(rawValue: 0x4287)
  static let docTypeReadVersion = ElementID(rawValue: 0x4285)
  static let void = ElementID(rawValue: 0xEC)
  static let crc32 = ElementID(rawValue: 0xBF)

  // RFC 9559: the Segment and its index.
  static let segment = ElementID(rawValue: 0x1853_8067)
  static let seekHead = ElementID(rawValue: 0x114D_9B74)
  static let seek = ElementID(rawValue: 0x4DBB)
  static let seekID = ElementID(rawValue: 0x53AB)
  static let seekPosition = ElementID(rawValue: 0x53AC)
  static let cues = ElementID(rawValue: 0x1C53_BB6B)
  static let cuePoint = ElementID(rawValue: 0xBB)
  static let cueTime = ElementID(rawValue: 0xB3)
  static let cueTrackPositions = ElementID(rawValue: 0xB7)
  static let cueTrack = ElementID(rawValue: 0xF7)
  static let cueClusterPosition = ElementID(rawValue: 0xF1)

  // Info.
  static let info = ElementID(rawValue: 0x1549_A966)
  static let timestampScale = ElementID(rawValue: 0x2AD7B1)
  static let duration = ElementID(rawValue: 0x4489)
  static let dateUTC = ElementID(rawValue: 0x4461)
  static let muxingApp = ElementID(rawValue: 0x4D80)
  static let writingApp = ElementID(rawValue: 0x5741)

  // Tracks.
  static let tracks = ElementID(rawValue: 0x1654_AE6B)
  static let trackEntry = ElementID(rawValue: 0xAE)
  static let trackNumber = ElementID(rawValue: 0xD7)
  static let trackUID = ElementID(rawValue: 0x73C5)
  static let trackType = ElementID(rawValue: 0x83)
  static let flagLacing = ElementID(rawValue: 0x9C)
  static let codecID = ElementID(rawValue: 0x86)
  static let codecPrivate = ElementID(rawValue: 0x63A2)
  static let codecDelay = ElementID(rawValue: 0x56AA)
  static let seekPreRoll = ElementID(rawValue: 0x56BB)
  static let video = ElementID(rawValue: 0xE0)
  static let pixelWidth = ElementID(rawValue: 0xB0)
  static let pixelHeight = ElementID(rawValue: 0xBA)
  static let audio = ElementID(rawValue: 0xE1)
  static let samplingFrequency = ElementID(rawValue: 0xB5)
  static let channels = ElementID(rawValue: 0x9F)

  // Clusters.
  static let cluster = ElementID(rawValue: 0x1F43_B675)
  static let timestamp = ElementID(rawValue: 0xE7)
  static let simpleBlock = ElementID(rawValue: 0xA3)
}
