// swift-tools-version: 6.2
import PackageDescription

// One function a group (docs/internals/architecture.md): the folder is the group, the settings are the group's.

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
  .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func core(_ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/Core/\(name)",
    swiftSettings: strict + [.strictMemorySafety()] + settings)
}

func target(
  _ group: String, _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(group)/\(name)", exclude: exclude, swiftSettings: strict)
}

/// Programs export no symbols, which nobody looks up: what the linker cannot reach goes, and so do tables of names.
/// Relative relocations are packed, which Debian's loader knows since 12.
let compactLinking: LinkerSetting = .unsafeFlags(
  [
    "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--build-id", "-Xlinker", "-z", "-Xlinker",
    "pack-relative-relocs",
  ], .when(platforms: [.linux], configuration: .release))

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Sources/Apps/\(name)", swiftSettings: strict,
    linkerSettings: [compactLinking])
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", resources: resources, swiftSettings: strict)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioFoundation = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

let cLibraries: [Target] = [
  system("CALSA", pkgConfig: "alsa", apt: "libasound2-dev"),
  system("CFileSystem", apt: "libc6-dev"),
  system("CGPIO", apt: "linux-libc-dev"),
  system("CGPS", pkgConfig: "libgps", apt: "libgps-dev"),
  system("CEvdev", apt: "linux-libc-dev"),
  system("CHiredis", apt: "libhiredis-dev"),
  system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
  system("COpusFile", pkgConfig: "opusfile", apt: "libopusfile-dev"),
  system("COpus", pkgConfig: "opus", apt: "libopus-dev"),
  system("CSpeexDSP", pkgConfig: "speexdsp", apt: "libspeexdsp-dev"),
  system("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
  system("CV4L2", apt: "linux-libc-dev"),
  system("CV4LConvert", pkgConfig: "libv4lconvert", apt: "libv4l-dev"),
  system("CVPX", pkgConfig: "vpx", apt: "libvpx-dev"),
  system("CYUV", apt: "libyuv-dev"),
  .target(name: "CJPEG", path: "Sources/C/CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
  .target(name: "CLinux", path: "Sources/C/CLinux"),
  .target(name: "CTOML", path: "Sources/C/CTOML"),
]

let coreTargets: [Target] = [
  core("ActionControl", ["CallPolicy", "MediaCore"]),
  core("ButtonInput", ["MediaCore"]),
  core("CallPolicy", ["EventDetection", "Signalling"]),
  core("CongestionControl", ["MediaCore"]),
  core("EchoControl", ["MediaCore"]),
  core("EventControl", ["ActionControl", "CallPolicy", "EventDetection", "MediaCore"]),
  core("EventDetection", ["MediaCore"]),
  core("Evidence", ["MediaCore", "TransportCrypto", "WebM"]),
  core("HardwareDetection", ["EventDetection", "MediaCore"]),
  core("ICE", ["MediaCore", "Signalling", "TransportCrypto"]),
  core("JitterBuffer", ["MediaCore"]),
  core("Mail"),
  core("MediaCore", [], [.enableExperimentalFeature("Lifetimes")]),
  core("MotionDetection", ["EventDetection", "MediaCore"]),
  core("ObjectStorage", ["MediaCore", "TransportCrypto"]),
  core("PeerSession", ["CongestionControl", "ICE", "MediaCore", "RTP", "SDP", "TransportCrypto"]),
  core("PictureMarks", ["MediaCore"]),
  core("PlaceDetection", ["EventDetection", "MediaCore"]),
  core("RTP", ["MediaCore"]),
  core("SafeText"),
  core("SDP", ["MediaCore", "TransportCrypto"]),
  core("SessionToken", ["Signalling", "TransportCrypto"]),
  core("Signalling", ["SafeText"]),
  core("SoundDetection", ["MediaCore"]),
  core("SRTP", ["MediaCore", "TransportCrypto"]),
  core("TransportCrypto", ["MediaCore"]),
  core("UploadControl", ["MediaCore", "ObjectStorage"]),
  core("WAV", ["MediaCore"]),
  core("WebM", ["MediaCore"]),
  core("YUV4MPEG", ["MediaCore"]),
]

let adapters: [Target] = [
  target("Adapters", "ALSAAudio", ["CALSA", "MediaCore"]),
  target("Adapters", "AudioResampling", ["CSpeexDSP"]),
  target("Adapters", "ContentEncryption", ["COpenSSL"]),
  target("Adapters", "DTLSEngine", ["COpenSSL", "MediaCore", "PrivateFiles", "TransportCrypto"]),
  target("Adapters", "GPIO", ["CGPIO", "MediaCore"]),
  target("Adapters", "EvdevInput", ["ButtonInput", "CEvdev", "MediaCore"]),
  target("Adapters", "GPSDLocation", ["CGPS", "MediaCore"]),
  target("Adapters", "OpusCodec", ["COpus", "MediaCore"]),
  target("Adapters", "OpusFile", ["COpusFile"]),
  target("Adapters", "PixelConversion", ["CJPEG", "CYUV", "MediaCore"]),
  target("Adapters", "SRTPCrypto", ["COpenSSL", "SRTP", "TransportCrypto"]),
  target("Adapters", "SystemdNotify", ["CSystemd"]),
  target("Adapters", "TimeStamping", ["COpenSSL"]),
  target("Adapters", "V4L2Capture", ["CV4L2", "CV4LConvert", "MediaCore"]),
  target("Adapters", "VPXCodec", ["CVPX", "MediaCore"]),
]

let device: [Target] = [
  target(
    "Device", "Archive",
    [
      "CLinux", "Evidence", "Locking", "MediaCore", "PrivateFiles", "RealtimeRuntime", "Signalling", "TransportCrypto",
      "WebM",
    ]),
  target("Device", "ArchiveExport", ["Archive", "MediaCore", "Signalling", "TransportCrypto", "WebM"]),
  target(
    "Device", "ArchiveUpload",
    [
      "Archive", "ChildProcess", "ConfigFile", "ContentEncryption", "ControlMessages", "DeviceConfiguration",
      "HTTPConnections", "Locking", "MediaCore", "MediaPlaneAPI", "ObjectStorage", "RealtimeRuntime", "SafeText",
      "Signalling", "TransportCrypto", "UploadControl", logging,
      nio, nioHTTP,
    ]),
  target("Device", "ArchiveInspection", ["Archive", "ControlMessages", "Signalling", "WebM"]),
  target(
    "Device", "Buttons",
    ["ButtonInput", "DeviceConfiguration", "DigitalInputs", "MediaCore", "RealtimeRuntime", logging]),
  target(
    "Device", "CallEngine",
    [
      "ActionControl", "CallPolicy", "EventDetection", "HubClient", "Locking", "MediaCore", "MediaPlaneAPI",
      "SessionToken", "Signalling", "TransportCrypto", logging,
    ]),
  target("Device", "ChildProcess", ["CLinux"]),
  target("Device", "ControlAPI", ["ControlMessages", "Locking", "MediaPlaneAPI", logging, nio, nioPosix]),
  target("Device", "ControlMessages", ["CallPolicy", "EventDetection", "MediaPlaneAPI"]),
  target(
    "Device", "DeviceActions",
    [
      "ActionControl", "CallPolicy", "ChildProcess", "CLinux", "DeviceConfiguration", "GPIO", "MediaCore",
      "RealtimeRuntime", logging,
    ]),
  target(
    "Device", "DeviceConfiguration",
    [
      "ActionControl", "ButtonInput", "CallPolicy", "ConfigFile", "EventDetection", "HardwareDetection", "Mail",
      "MediaCore", "MotionDetection", "PictureMarks", "PlaceDetection", "RealtimeRuntime", "Signalling",
    ]),
  target(
    "Device", "DeviceDiagnosis",
    [
      "ALSAAudio", "Archive", "ArchiveUpload", "ButtonInput", "CallPolicy", "CLinux", "ConfigFile", "ControlMessages",
      "DeviceConfiguration", "DTLSEngine",
      "EvdevInput", "GPIO", "GPSDLocation", "HardwareDetection", "HubClient", "Locking", "MediaCore", "MediaPlaneAPI",
      "OpenSSLCrypto", "PrivateFiles", "RealtimeRuntime",
      "SpeechSynthesis", "SystemReadings", "TLSClient", "V4L2Capture", logging,
    ]),
  target(
    "Device", "DeviceEvents",
    [
      "ButtonInput", "ControlMessages", "DeviceConfiguration", "DigitalInputs", "EventDetection", "HardwareDetection",
      "Locking", "MediaCore", "MediaPipeline", "MediaPlaneAPI", "PlaceDetection", "PrivateFiles", "RealtimeRuntime",
      "Signalling", "SystemReadings", logging,
    ]),
  target(
    "Device", "DeviceMedia",
    [
      "Archive", "CongestionControl", "EchoControl", "ICE", "Locking", "MediaCore", "MediaPipeline", "MediaPlaneAPI",
      "NetworkLoop",
      "PeerSession", "RealtimeRuntime", "SDP", "Signalling",
    ]),
  target(
    "Device", "DeviceService",
    [
      "ActionControl", "Archive", "ArchiveInspection", "ArchiveUpload", "Buttons", "CallEngine", "CallPolicy",
      "ConfigFile", "ControlAPI", "ControlMessages", "Delivery", "DeviceActions", "DeviceConfiguration", "DeviceEvents",
      "DeviceMedia", "DTLSEngine", "EchoControl", "EngineControl", "EventDetection", "EventRules", "EventSounds",
      "EvidenceService", "GPSDLocation", "HubClient", "JournalLogging", "Locking", "MediaCore", "MediaPipeline",
      "MediaPlaneAPI", "NetworkLoop", "OpenSSLCrypto", "PeerSession", "PictureMarks", "PlaceDetection", "PrivateFiles",
      "ProcessMemory", "PrometheusEndpoint", "RealtimeRuntime", "Signalling", "SpeechSynthesis", "SRTPCrypto",
      "SystemdNotify", "SystemReadings", logging, .product(name: "UnixSignals", package: "swift-service-lifecycle"),
    ]),
  target(
    "Device", "DigitalInputs",
    ["ButtonInput", "DeviceConfiguration", "EvdevInput", "GPIO", "MediaCore", "RealtimeRuntime"]),
  target(
    "Device", "EvidenceInspection",
    ["Archive", "ArchiveExport", "Evidence", "OpenSSLCrypto", "SessionToken", "TimeStamping"]),
  target(
    "Device", "EvidenceService",
    [
      "Archive", "ControlMessages", "HTTPConnections", "Locking", "MediaCore", "MediaPlaneAPI", "OpenSSLCrypto",
      "PrivateFiles", "SessionToken", "Signalling", "TimeStamping", "TransportCrypto", logging, nio, nioHTTP,
    ]),
  target(
    "Device", "EventRules",
    [
      "CallPolicy", "ChildProcess", "ControlMessages", "Delivery", "DeviceConfiguration", "EventControl",
      "EventDetection", "Locking", "Mail", "MediaCore", "MediaPlaneAPI", "PrivateFiles", "Signalling", logging,
    ]),
  target("Device", "EventSounds", ["CallEngine", "MediaCore", "MediaPlaneAPI", "Signalling", logging]),
  target(
    "Device", "EngineControl",
    [
      "ActionControl", "CallEngine", "CallPolicy", "ControlMessages", "DeviceActions", "EventDetection", "EventRules",
      "HubClient", "Locking", "MediaCore", "MediaPlaneAPI", "Signalling",
    ]),
  target(
    "Device", "HubClient",
    ["HTTPConnections", "Locking", "MediaCore", "SessionToken", "Signalling", logging, nio, nioHTTP, nioPosix]),
  target(
    "Device", "MediaPipeline",
    [
      "ALSAAudio", "AudioResampling", "EchoControl", "EventDetection", "JitterBuffer", "Locking", "MediaCore",
      "MotionDetection", "OpusCodec", "OpusFile", "PictureMarks", "PixelConversion", "RealtimeRuntime",
      "SoundDetection",
      "V4L2Capture", "VPXCodec", "WAV", "YUV4MPEG",
    ]),
  target("Device", "MediaPlaneAPI", ["Locking", "MediaCore", "Signalling"]),
  target(
    "Device", "NetworkLoop",
    [
      "CLinux", "ICE", "Locking", "MediaCore", "PeerSession", "RealtimeRuntime", "SDP", "Signalling", "TLSClient",
      "TransportCrypto",
    ]),
  target(
    "Device", "PrometheusEndpoint",
    ["ControlAPI", "ControlMessages", "Locking", "MediaPlaneAPI", logging, nio, nioHTTP, nioPosix]),
  target("Device", "RealtimeRuntime", ["CLinux", "Locking", "MediaCore"]),
  target("Device", "SpeechSynthesis", ["CLinux", "ChildProcess", "MediaCore"]),
  target("Device", "SystemReadings", ["ControlMessages", "HardwareDetection", "ProcessMemory", "RealtimeRuntime"]),
]

let shared: [Target] = [
  target("Shared", "CommandSuggestions", ["ConfigFile", "SafeText", argumentParser]),
  target("Shared", "ConfigFile", ["CLinux", "CTOML", "SafeText"]),
  target("Shared", "Delivery", ["Locking", "MediaCore"]),
  target("Shared", "HTTPConnections", ["Locking", "MediaCore", "TLSChannel", "TLSClient", nio, nioHTTP, nioPosix]),
  target("Shared", "JournalLogging", ["Locking", "SafeText", logging]),
  target("Shared", "Locking"),
  target("Shared", "OpenSSLCrypto", ["COpenSSL", "MediaCore", "TransportCrypto"]),
  target("Shared", "PrivateFiles", ["CFileSystem", "Locking"]),
  target("Shared", "ProcessMemory", ["CLinux"]),
  target("Shared", "ProgramVersion"),
  target("Shared", "TLSChannel", ["TLSClient", nio]),
  target("Shared", "TLSClient", ["COpenSSL"]),
]

let hub: [Target] = [
  target("Hub", "HubCore", ["Locking", "MediaCore", "Signalling", deque]),
  target(
    "Hub", "HubHTTP",
    [
      "ConfigFile", "Delivery", "HTTPConnections", "HubCore", "HubStore", "Locking", "MediaCore", "OpenSSLCrypto",
      "ProcessMemory", "ProgramVersion", "SafeText", "SessionToken", "Signalling", httpTypes, hummingbird,
      hummingbirdCore, lifecycle, logging, nio, nioFoundation, nioHTTP, nioPosix,
    ], exclude: ["web"]),
  target("Hub", "HubBackplaneRedis", ["HubCore", "Locking", "RedisClient", "Signalling", logging]),
  target("Hub", "HubStore", ["HubCore", "OpenSSLCrypto", "Signalling"]),
  target("Hub", "HubStoreRedis", ["HubCore", "HubStore", "RedisClient", "Signalling"]),
  target("Hub", "HubStoreSQLite", ["HubCore", "HubStore", "Locking", "Signalling", grdb]),
  target("Hub", "RedisClient", ["CHiredis", "Locking", "TLSChannel", "TLSClient", nio, nioPosix]),
]

let programs: [Target] = [
  program(
    "livesessions",
    [
      "ALSAAudio", "Archive", "ArchiveExport", "ArchiveInspection", "CallPolicy", "CommandSuggestions", "ConfigFile",
      "ControlMessages", "DeviceActions", "DeviceConfiguration", "EventDetection", "EvidenceInspection", "MediaCore",
      "MediaPlaneAPI", "OpenSSLCrypto", "ProgramVersion", "SafeText", "SessionToken", "Signalling", "V4L2Capture",
      argumentParser,
    ]),
  program(
    "livesessions-hub",
    [
      "CLinux", "CommandSuggestions", "ConfigFile", "HubBackplaneRedis", "HubCore", "HubHTTP", "HubStore",
      "HubStoreRedis", "HubStoreSQLite", "RedisClient",
      "JournalLogging", "ProcessMemory",
      "ProgramVersion",
      "SafeText",
      argumentParser, hummingbird, logging,
    ]),
  program(
    "livesessionsd",
    ["ControlMessages", "DeviceDiagnosis", "DeviceService", "ProgramVersion", "SafeText", argumentParser]),
]

let testing: [Target] = [
  .target(name: "CAllocationCounter", path: "Sources/Testing/CAllocationCounter"),
  .target(
    name: "CJPEGSamples", path: "Sources/Testing/CJPEGSamples", linkerSettings: [.linkedLibrary("jpeg")]),
  .target(name: "CNetworkNamespace", path: "Sources/Testing/CNetworkNamespace"),
  target(
    "Testing", "HubBackplaneConformance", ["HubCore", "Locking", "SessionHistories", "Signalling", "TestSupport"]),
  target("Testing", "HubStoreConformance", ["HubCore", "HubStore", "Signalling"]),
  target("Testing", "MediaSamples"),
  target("Testing", "LogRecording", ["Locking", logging]),
  target("Testing", "MemorySource", ["WebM"]),
  target("Testing", "SampleTokens", ["TransportCrypto"]),
  target("Testing", "RedisTestServer", ["COpenSSL", "TestAuthority"]),
  target("Testing", "SessionHistories"),
  target("Testing", "PlainTransport", ["MediaCore", "TransportCrypto"]),
  target("Testing", "SeededCrypto", ["OpenSSLCrypto", "TestSupport", "TransportCrypto"]),
  target("Testing", "StampingAuthority", ["Locking"]),
  target("Testing", "TestAuthority", ["COpenSSL"]),
  target("Testing", "TestSupport"),
  target("Testing", "TURNTestServer", ["MediaCore", "TransportCrypto"]),
]

let testTargets: [Target] = [
  tests("ActionControlTests", ["ActionControl", "CallPolicy", "MediaCore"]),
  tests("ALSAAudioTests", ["ALSAAudio", "MediaCore"]),
  tests(
    "ArchiveExportTests",
    [
      "Archive", "ArchiveExport", "EvidenceInspection", "MediaCore", "MediaSamples", "OpenSSLCrypto", "RealtimeRuntime",
      "Signalling", "WebM",
    ]),
  tests(
    "ArchiveTests",
    [
      "Archive", "CAllocationCounter", "Evidence", "Locking", "MediaCore", "MediaSamples", "MemorySource",
      "OpenSSLCrypto", "PrivateFiles", "RealtimeRuntime", "Signalling", "TestSupport", "TransportCrypto", "WebM",
    ]),
  tests(
    "ArchiveUploadTests",
    [
      "Archive", "ArchiveUpload", "ControlMessages", "DeviceConfiguration", "Locking", "LogRecording", "MediaCore",
      "MediaPlaneAPI", "MediaSamples",
      "ObjectStorage", "OpenSSLCrypto", "RealtimeRuntime", "Signalling", logging,
    ]),
  tests("AudioResamplingTests", ["AudioResampling", "TestSupport"]),
  tests(
    "CallEngineTests",
    [
      "ActionControl", "CallEngine", "CallPolicy", "ControlMessages", "EngineControl", "EventDetection", "HubClient",
      "Locking", "MediaCore", "MediaPlaneAPI", "SampleTokens", "SessionToken", "Signalling", "TestSupport", logging,
    ]),
  tests("ButtonInputTests", ["ButtonInput", "MediaCore", "TestSupport"]),
  tests(
    "ButtonsTests", ["ButtonInput", "Buttons", "DeviceConfiguration", "EvdevInput", "Locking", "MediaCore", logging]),
  tests("CallPolicyTests", ["CallPolicy", "EventDetection", "Signalling", "TestSupport"]),
  tests("CommandSuggestionsTests", ["CommandSuggestions", argumentParser]),
  tests("ConfigFileTests", ["ConfigFile"]),
  tests("CongestionControlTests", ["CongestionControl", "MediaCore", "TestSupport"]),
  tests(
    "ControlAPITests",
    [
      "CallPolicy", "ControlAPI", "ControlMessages", "EventDetection", "Locking", "LogRecording", "MediaPlaneAPI",
      "ProgramVersion", "Signalling",
      "livesessions", argumentParser, logging,
    ]),
  tests("ContentEncryptionTests", ["ContentEncryption", "MediaSamples"]),
  tests("DTLSEngineTests", ["DTLSEngine", "MediaCore", "PrivateFiles", "TestSupport", "TransportCrypto"]),
  tests(
    "DeviceActionsTests",
    [
      "ActionControl", "CallPolicy", "ChildProcess", "DeviceActions", "DeviceConfiguration", "Locking", "MediaCore",
      logging,
    ]),
  tests(
    "DeviceConfigurationTests",
    [
      "ActionControl", "ButtonInput", "CallPolicy", "ConfigFile", "DeviceConfiguration", "EventDetection",
      "HardwareDetection", "Mail", "MediaCore", "MotionDetection", "PictureMarks", "PlaceDetection", "Signalling",
    ]),
  tests(
    "DeviceDiagnosisTests",
    [
      "CallPolicy", "ConfigFile", "ControlMessages", "DeviceConfiguration", "DeviceDiagnosis", "GPIO", "MediaCore",
      "MediaPlaneAPI", "TestSupport",
    ]),
  tests(
    "DeviceEventsTests",
    [
      "ButtonInput", "ControlMessages", "DeviceConfiguration", "DeviceEvents", "DigitalInputs", "EventDetection",
      "HardwareDetection", "Locking", "LogRecording", "MediaCore", "MediaPipeline", "MediaPlaneAPI", "PlaceDetection",
      "RealtimeRuntime", "Signalling", "SystemReadings", "TestSupport", logging,
    ]),
  tests(
    "DeviceMediaTests",
    [
      "Archive", "CongestionControl", "DTLSEngine", "DeviceMedia", "ICE", "Locking", "MediaCore", "MediaPipeline",
      "MediaPlaneAPI", "NetworkLoop", "OpenSSLCrypto", "PeerSession", "RealtimeRuntime", "SDP", "SRTPCrypto",
      "Signalling", "VPXCodec",
    ]),
  tests("EchoControlTests", ["CAllocationCounter", "EchoControl", "MediaCore", "TestSupport"]),
  tests("DeliveryTests", ["Delivery", "Locking", "MediaCore"]),
  tests("EventControlTests", ["CallPolicy", "EventControl", "EventDetection", "MediaCore"]),
  tests("EventDetectionTests", ["EventDetection", "MediaCore"]),
  tests(
    "EventRulesTests",
    [
      "CallPolicy", "ControlMessages", "Delivery", "DeviceConfiguration", "EventDetection", "EventRules", "Locking",
      "MediaCore", "MediaPlaneAPI", "Signalling", logging,
    ]),
  tests(
    "EvidenceInspectionTests",
    [
      "Archive", "EvidenceInspection", "MediaCore", "MediaSamples", "OpenSSLCrypto", "RealtimeRuntime", "SessionToken",
      "Signalling", "StampingAuthority", "TransportCrypto",
    ]),
  tests(
    "EvidenceServiceTests",
    [
      "Archive", "ControlMessages", "EvidenceInspection", "EvidenceService", "MediaCore", "MediaPlaneAPI",
      "MediaSamples", "OpenSSLCrypto", "PrivateFiles", "RealtimeRuntime", "SessionToken", "Signalling",
      "StampingAuthority", logging,
    ]),
  tests("EvidenceTests", ["Evidence", "MemorySource", "OpenSSLCrypto", "TestSupport", "TransportCrypto", "WebM"]),
  tests("EventSoundsTests", ["CallEngine", "EventSounds", "MediaCore", "MediaPlaneAPI", "Signalling"]),
  tests("HardwareDetectionTests", ["EventDetection", "HardwareDetection", "MediaCore"]),
  tests("GPIOTests", ["GPIO", "MediaCore"]),
  tests("GPSDLocationTests", ["GPSDLocation", "Locking", "MediaCore", "TestSupport"]),
  tests(
    "HTTPConnectionsTests", ["COpenSSL", "HTTPConnections", "Locking", "TestAuthority", nio, nioHTTP, nioPosix]),
  tests(
    "HubClientTests",
    [
      "HTTPConnections", "HubClient", "Locking", "LogRecording", "MediaCore", "SessionToken", "Signalling",
      "TestSupport", logging, nio, nioHTTP, nioPosix,
    ]),
  tests(
    "HubBackplaneRedisTests",
    [
      "HubBackplaneConformance", "HubBackplaneRedis", "HubCore", "Locking", "RedisClient", "RedisTestServer",
      "SessionHistories", "Signalling", "TestSupport", logging,
    ]),
  tests(
    "HubCoreTests",
    ["HubBackplaneConformance", "HubCore", "MediaCore", "SessionHistories", "Signalling", "TestSupport"]),
  tests(
    "HubHTTPTests",
    [
      "ConfigFile", "HTTPConnections", "HubCore", "HubHTTP", "HubStore", "HubStoreRedis", "HubStoreSQLite", "Locking",
      "OpenSSLCrypto", "ProgramVersion", "RedisClient", "RedisTestServer", "SessionToken", "Signalling",
      "livesessions-hub", hummingbird, lifecycle, logging, nio, nioFoundation, nioHTTP,
    ]),
  tests(
    "HubStoreRedisTests",
    ["HubCore", "HubStore", "HubStoreConformance", "HubStoreRedis", "RedisClient", "RedisTestServer", "Signalling"]),
  tests(
    "HubStoreSQLiteTests",
    ["HubCore", "HubStore", "HubStoreConformance", "HubStoreSQLite", "Locking", "Signalling", "TestSupport", grdb]),
  tests(
    "ICETests",
    ["ICE", "MediaCore", "OpenSSLCrypto", "SeededCrypto", "Signalling", "TURNTestServer", "TransportCrypto"]),
  tests("JitterBufferTests", ["CAllocationCounter", "JitterBuffer", "MediaCore", "OpusCodec", "TestSupport"]),
  tests("JournalLoggingTests", ["JournalLogging", logging]),
  tests("MailTests", ["Mail"]),
  tests("MediaCoreTests", ["MediaCore"]),
  tests(
    "MediaPipelineTests",
    [
      "ALSAAudio", "AudioResampling", "CAllocationCounter", "ChildProcess", "EchoControl", "EventDetection",
      "JitterBuffer", "Locking", "MediaCore", "MediaPipeline", "MotionDetection", "OpusCodec", "PictureMarks",
      "PixelConversion", "RealtimeRuntime", "TestSupport", "VPXCodec", "WAV", "YUV4MPEG",
    ]),
  tests("MotionDetectionTests", ["EventDetection", "MotionDetection", "TestSupport"]),
  tests(
    "NetworkLoopTests",
    [
      "CNetworkNamespace", "DTLSEngine", "ICE", "Locking", "MediaCore", "NetworkLoop", "OpenSSLCrypto", "PeerSession",
      "RealtimeRuntime", "SRTPCrypto", "SeededCrypto", "Signalling", "TLSClient", "TestSupport", "TransportCrypto",
    ]),
  tests("ObjectStorageTests", ["ObjectStorage", "OpenSSLCrypto"]),
  tests("OpenSSLCryptoTests", ["MediaCore", "OpenSSLCrypto", "SessionToken", "TransportCrypto"]),
  tests("OpusCodecTests", ["MediaCore", "OpusCodec"]),
  tests(
    "PeerSessionTests",
    [
      "CAllocationCounter", "CongestionControl", "DTLSEngine", "ICE", "MediaCore", "OpenSSLCrypto", "PeerSession",
      "PlainTransport", "RTP", "SDP", "SRTPCrypto", "SeededCrypto", "TURNTestServer", "TestSupport", "TransportCrypto",
    ]),
  tests("PixelConversionTests", ["CAllocationCounter", "CJPEGSamples", "MediaCore", "PixelConversion"]),
  tests("PrivateFilesTests", ["Locking", "PrivateFiles"]),
  tests("ProcessMemoryTests", ["ProcessMemory"]),
  tests(
    "PrometheusEndpointTests",
    ["ControlAPI", "ControlMessages", "Locking", "MediaPlaneAPI", "PrometheusEndpoint", logging]),
  tests("RTPTests", ["MediaCore", "RTP", "TestSupport"]),
  tests("RealtimeRuntimeTests", ["MediaCore", "RealtimeRuntime", "TestSupport"]),
  tests("RedisClientTests", ["Locking", "RedisClient", "RedisTestServer", "TestAuthority", nio, nioPosix]),
  tests("SafeTextTests", ["SafeText"]),
  tests("SDPTests", ["MediaCore", "SDP", "TransportCrypto"]),
  tests("SRTPCryptoTests", ["CAllocationCounter", "SRTP", "SRTPCrypto", "TransportCrypto"]),
  tests("SRTPTests", ["SRTP", "TransportCrypto"]),
  tests("SessionHistoriesTests", ["HubCore", "SessionHistories", "Signalling", "TestSupport"]),
  tests("SessionTokenTests", ["SampleTokens", "SessionToken", "Signalling"]),
  tests("PlaceDetectionTests", ["EventDetection", "MediaCore", "PlaceDetection", "TestSupport"]),
  tests("SoundDetectionTests", ["SoundDetection", "TestSupport"]),
  tests("SpeechSynthesisTests", ["MediaCore", "SpeechSynthesis"]),
  tests("SystemReadingsTests", ["ControlMessages", "HardwareDetection", "SystemReadings"]),
  tests("SystemdNotifyTests", ["SystemdNotify"]),
  tests("TimeStampingTests", ["StampingAuthority", "TestSupport", "TimeStamping"]),
  tests("TLSClientTests", ["COpenSSL", "TLSClient", "TestAuthority"]),
  tests(
    "UnattendedTests",
    [
      "Archive", "CallEngine", "CallPolicy", "DeviceConfiguration", "EventDetection", "Locking", "MediaCore",
      "MediaSamples",
      "RealtimeRuntime", "Signalling", "TestSupport",
    ]),
  tests("UploadControlTests", ["MediaCore", "ObjectStorage", "UploadControl"]),
  tests("V4L2CaptureTests", ["CAllocationCounter", "CV4L2", "MediaCore", "TestSupport", "V4L2Capture"]),
  tests("VPXCodecTests", ["MediaCore", "VPXCodec"]),
  tests("PictureMarksTests", ["CAllocationCounter", "MediaCore", "PictureMarks"]),
  tests("WAVTests", ["MediaCore", "WAV"]),
  tests("WebMTests", ["CAllocationCounter", "MediaCore", "MediaSamples", "MemorySource", "TestSupport", "WebM"]),
  tests("YUV4MPEGTests", ["MediaCore", "YUV4MPEG"]),
]

let package = Package(
  name: "livesessions",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "livesessions", targets: ["livesessions"]),
    .executable(name: "livesessions-hub", targets: ["livesessions-hub"]),
    .executable(name: "livesessionsd", targets: ["livesessionsd"]),
  ]
    // For the Benchmarks package.
    + [
      "Archive", "CAllocationCounter", "CLinux", "DTLSEngine", "EchoControl", "EventDetection", "HubBackplaneRedis",
      "HubCore",
      "JitterBuffer", "MediaCore", "MediaPipeline", "MotionDetection", "NetworkLoop", "OpenSSLCrypto", "OpusCodec",
      "PeerSession", "PictureMarks",
      "PixelConversion", "ProcessMemory", "RealtimeRuntime", "RedisClient", "SRTPCrypto", "SessionHistories",
      "Signalling", "TestSupport", "TransportCrypto", "VPXCodec", "WebM",
    ].map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: cLibraries + coreTargets + adapters + device + shared + hub + programs + testing + testTargets,
  cxxLanguageStandard: .cxx17
)

/// Some targets and all that they depend on, among `all`.
func closure(of names: [String], among all: [Target]) -> [Target] {
  let known = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  var (waiting, found) = (names, Set<String>())
  while let name = waiting.popLast() {
    guard let target = known[name], found.insert(name).inserted else { continue }
    for case .byNameItem(let dependency, _) in target.dependencies { waiting.append(dependency) }
  }
  return all.filter { found.contains($0.name) }
}

// `make test-core` compiles Core, its tests and what those need, and no package.
if Context.environment["LIVESESSIONS_CORE_ALONE"] != nil {
  package.products = []
  package.dependencies = []
  package.targets = closure(of: coreTargets.flatMap { [$0.name, "\($0.name)Tests"] }, among: package.targets)
}

// `make build` has SwiftPM plan once, and nothing but what the programs need: each plan costs a minute and a half.
if Context.environment["LIVESESSIONS_PROGRAMS_ALONE"] != nil {
  package.products.removeAll { product in !programs.contains { $0.name == product.name } }
  package.targets = closure(of: programs.map(\.name), among: package.targets)
}
