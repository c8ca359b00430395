internal import Signalling

// What devices answer and the hub passes on unread: for the API's description alone. The device's own types cannot be
// imported (docs/internals/architecture.md); the interop test of the description compares these with a real device.

/// `GET …/archives`.
struct ArchiveListAnswer: Decodable {
  var count: Int
  var items: [ArchiveManifestAnswer]
}

/// `GET …/archives/{archiveID}`.
struct ArchiveManifestAnswer: Decodable {
  struct ArchiveFile: Decodable {
    var streamId: String
    var connectionData: String
    var filename: String
    var size: Int64
    var startTimeOffset: Int64
    var stopTimeOffset: Int64
    var videoType: String?
    var camera: CameraName?
  }

  var id: ArchiveID
  var name: String
  var sessionId: String
  var createdAt: Int64
  var clockSynchronized: Bool
  var files: [ArchiveFile]
  var status: ArchiveStatus
  var reason: String
  var duration: Int64
  var size: Int64
  var hasAudio: Bool
  var hasVideo: Bool
  var outputMode: String
  var streamMode: String
  var callerID: String?
  var policyRule: String?
  var plans: [String]?
  var timeLapseInterval: Int64?
}

/// `GET …/recordings`.
struct RecordingsAnswer: Decodable {
  struct RecordedSpan: Decodable {
    var id: ArchiveID
    var start: Int64
    var end: Int64?
    var plans: [String]?
    var timeLapseInterval: Int64?
  }

  var hasMore: Bool
  var items: [RecordedSpan]
}

/// `GET …/events`.
struct DeviceEventsAnswer: Decodable {
  var hasMore: Bool
  var items: [DetectedEvent]
  var next: String?
}

/// `GET …/cameras`.
struct CamerasAnswer: Decodable {
  var items: [CameraName]
}

/// `GET` and `PUT …/recording`.
struct RecordingAnswer: Decodable {
  var isRecording: Bool
  var secondsLeft: Int64?
  var problem: String?
}

// Answers of the hub's own that it writes without a type.

/// `GET /.well-known/jwks.json`.
struct KeySetAnswer: Decodable {
  struct PublicKey: Decodable {
    var kty: String
    var crv: String
    var use: String
    var alg: String
    var x: String
    var kid: String
  }

  var keys: [PublicKey]
}

/// `GET /healthz`.
struct HealthAnswer: Decodable {
  var status: String
}
