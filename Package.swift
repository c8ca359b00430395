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
  _ group: String, _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(group)/\(name)", exclude: exclude, resources: resources,
    swiftSettings: strict)
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
  system("CGPS", pkgConfig: "libgps", apt: "libgps-dev"),
  system("CHiredis", apt: "libhiredis-dev"),
  system("CMosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
  system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
  system("COpus", pkgConfig: "opusfile", apt: "libopusfile-dev"),
  system("CSpeexDSP", pkgConfig: "speexdsp", apt: "libspeexdsp-dev"),
  system("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
  system("CV4LConvert", pkgConfig: "libv4lconvert", apt: "libv4l-dev"),
  system("CVPX", pkgConfig: "vpx", apt: "libvpx-dev"),
  .target(
    name: "CPixels", path: "Sources/C/CPixels", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("yuv")]),
  .target(name: "CLinux", path: "Sources/C/CLinux"),
  .target(name: "CTOML", path: "Sources/C/CTOML"),
]

let coreTargets: [Target] = [
  core("AudioProcessing", ["MediaCore"]),
  core("CallPolicy", ["MediaCore", "Signalling"]),
  core("CongestionControl", ["MediaCore"]),
  core("EventDetection", ["MediaCore", "Signalling"]),
  core("Evidence", ["MediaCore", "TransportCrypto", "WebM"]),
  core("ICE", ["MediaCore", "Signalling", "TransportCrypto"]),
  core("MediaCore", [], [.enableExperimentalFeature("Lifetimes")]),
  core("MediaFiles", ["MediaCore"]),
  core("MotionDetection", ["EventDetection", "MediaCore", "Signalling"]),
  core("ObjectStorage", ["MediaCore", "TransportCrypto"]),
  core("PeerSession", ["CongestionControl", "ICE", "MediaCore", "RTP", "SDP", "TransportCrypto"]),
  core("VideoOverlay", ["MediaCore"]),
  core("RTP", ["MediaCore", "TransportCrypto"]),
  core("SafeText"),
  core("SDP", ["MediaCore", "TransportCrypto"]),
  core("SessionToken", ["Signalling", "TransportCrypto"]),
  core("Signalling", ["SafeText"]),
  core("TransportCrypto", ["MediaCore"]),
  core("WebM", ["MediaCore"]),
]

let adapters: [Target] = [
  target("Adapters", "ALSAAudio", ["CALSA", "MediaCore"]),
  target("Adapters", "DigitalIO", ["CLinux", "EventDetection", "MediaCore", "SystemSupport"]),
  target("Adapters", "DTLSSRTP", ["COpenSSL", "MediaCore", "RTP", "SystemSupport", "TransportCrypto"]),
  target("Adapters", "GPSDLocation", ["CGPS", "MediaCore", "SystemSupport"]),
  target("Adapters", "MediaCodecs", ["COpus", "CSpeexDSP", "CVPX", "MediaCore"]),
  target("Adapters", "MQTTClient", ["CLinux", "CMosquitto", "MediaCore", "SystemSupport"]),
  target("Adapters", "PixelConversion", ["CPixels", "MediaCore"]),
  target("Adapters", "V4L2Capture", ["CLinux", "CV4LConvert", "MediaCore", "SystemSupport"]),
]

let device: [Target] = [
  target(
    "Device", "Archive",
    [
      "CLinux", "Evidence", "JournalLogging", "MediaCore", "RealtimeRuntime", "Signalling", "SystemSupport",
      "TransportCrypto", "WebM",
      logging,
    ]),
  target(
    "Device", "ArchiveReading",
    [
      "Archive", "ControlMessages", "Evidence", "MediaCore", "OpenSSLCrypto", "RealtimeRuntime", "SessionToken",
      "Signalling", "TransportCrypto", "WebM",
    ]),
  target(
    "Device", "ArchiveUpload",
    [
      "Archive", "ConfigFile", "ControlMessages", "DeviceConfiguration", "HTTPConnections", "JournalLogging",
      "MediaCore",
      "MediaPlaneAPI", "ObjectStorage", "OpenSSLCrypto", "RealtimeRuntime", "SafeText", "Signalling", "SystemSupport",
      "TLSClient", "TransportCrypto", logging, nio, nioHTTP,
    ]),
  target(
    "Device", "CallEngine",
    [
      "CallPolicy", "EventDetection", "HTTPConnections", "HubClient", "JournalLogging", "MediaCore", "MediaPlaneAPI",
      "SDP", "SafeText", "SessionToken", "Signalling", "SystemSupport", "TLSClient", "TransportCrypto", logging,
      nioHTTP,
    ]),
  target(
    "Device", "ControlAPI",
    ["ControlMessages", "MediaPlaneAPI", "SafeText", "Signalling", "SystemSupport", logging, nio, nioHTTP, nioPosix]),
  target("Device", "ControlMessages", ["CallPolicy", "MediaPlaneAPI", "Signalling", "SystemSupport"]),
  target(
    "Device", "DeviceActions",
    [
      "CallPolicy", "CLinux", "ConfigFile", "DeviceConfiguration", "DigitalIO", "EventDetection", "MediaCore",
      "MediaPlaneAPI",
      "RealtimeRuntime", "SystemSupport", logging,
    ]),
  target(
    "Device", "DeviceConfiguration",
    [
      "CallPolicy", "ConfigFile", "Delivery", "EventDetection", "MediaCore", "MotionDetection", "RealtimeRuntime",
      "Signalling", "SystemSupport", "TLSClient", "VideoOverlay",
    ]),
  target(
    "Device", "DeviceDiagnosis",
    [
      "ALSAAudio", "Archive", "ArchiveUpload", "CallEngine", "CallPolicy", "CLinux", "ConfigFile", "ControlMessages",
      "DeviceConfiguration", "DigitalIO", "DTLSSRTP", "EngineControl", "EventDetection", "EventRules", "GPSDLocation",
      "HostSystem", "HTTPConnections", "HubClient", "MediaCore", "MediaPipeline", "MediaPlaneAPI", "MQTTClient",
      "OpenSSLCrypto", "RealtimeRuntime", "SystemSupport",
      "TLSClient", "V4L2Capture", logging,
    ]),
  target(
    "Device", "DeviceEvents",
    [
      "ControlMessages", "DeviceActions", "DeviceConfiguration", "EventDetection", "HostSystem", "JournalLogging",
      "MediaCore", "MediaPipeline", "MediaPlaneAPI", "RealtimeRuntime", "Signalling", "SystemSupport", logging,
    ]),
  target(
    "Device", "DeviceMedia",
    [
      "Archive", "AudioProcessing", "CongestionControl", "DeviceConfiguration", "ICE", "MediaCore", "MediaPipeline",
      "MediaPlaneAPI", "NetworkLoop", "PeerSession", "RealtimeRuntime", "SDP", "Signalling", "SystemSupport",
      "TLSClient",
      "V4L2Capture", "VideoOverlay",
    ]),
  target(
    "Device", "DeviceService",
    [
      "Archive", "ArchiveUpload", "CallEngine", "CallPolicy", "ControlAPI", "ControlMessages", "DeviceActions",
      "DeviceConfiguration", "DeviceEvents", "DeviceMedia", "DTLSSRTP", "EngineControl", "EventDetection", "EventRules",
      "EvidenceService", "GPSDLocation", "HostSystem", "HubClient", "JournalLogging", "MediaCore", "MediaPipeline",
      "MediaPlaneAPI", "MQTTClient", "NetworkLoop", "OpenSSLCrypto", "RealtimeRuntime", "Signalling", "SystemSupport",
      "TLSClient",
      "VideoOverlay",
      .product(name: "UnixSignals", package: "swift-service-lifecycle"), logging,
    ]),
  target(
    "Device", "EngineControl",
    [
      "Archive", "ArchiveReading", "CallEngine", "CallPolicy", "ControlMessages", "Delivery", "DeviceActions",
      "DeviceConfiguration", "DeviceEvents", "EventDetection", "EventRules", "HTTPConnections", "HubClient",
      "MediaCore",
      "MediaPlaneAPI", "MQTTClient", "RealtimeRuntime", "Signalling", "SystemSupport", "TLSClient", logging,
    ]),
  target(
    "Device", "EventRules",
    [
      "CallEngine", "CallPolicy", "CLinux", "ControlMessages", "Delivery", "DeviceConfiguration", "JournalLogging",
      "MediaCore",
      "MediaPipeline", "MediaPlaneAPI", "RealtimeRuntime", "Signalling", "SystemSupport", logging,
    ]),
  target(
    "Device", "EvidenceService",
    [
      "Archive", "ControlMessages", "HTTPConnections", "MediaCore", "MediaPlaneAPI", "OpenSSLCrypto", "SessionToken",
      "Signalling", "SystemSupport", "TLSClient", "TransportCrypto", logging, nio, nioHTTP,
    ]),
  target(
    "Device", "HostSystem", ["ControlMessages", "CSystemd", "EventDetection", "RealtimeRuntime", "SystemSupport"]),
  target(
    "Device", "HubClient",
    [
      "HTTPConnections", "MediaCore", "SessionToken", "Signalling", "SystemSupport", "TLSClient", logging, nio, nioHTTP,
      nioPosix,
    ]),
  target(
    "Device", "MediaPipeline",
    [
      "ALSAAudio", "AudioProcessing", "EventDetection", "MediaCodecs", "MediaCore", "MediaFiles", "MotionDetection",
      "PixelConversion", "RealtimeRuntime", "SafeText", "Signalling", "SystemSupport", "V4L2Capture", "VideoOverlay",
      "WebM",
    ]),
  target("Device", "MediaPlaneAPI", ["MediaCore", "Signalling", "SystemSupport"]),
  target(
    "Device", "NetworkLoop",
    [
      "CLinux", "ICE", "MediaCore", "PeerSession", "RealtimeRuntime", "SDP", "Signalling", "SystemSupport", "TLSClient",
      "TransportCrypto",
    ]),
  target("Device", "RealtimeRuntime", ["CLinux", "MediaCore", "SystemSupport"]),
]

let shared: [Target] = [
  target("Shared", "CommandSuggestions", ["ConfigFile", "SafeText", argumentParser]),
  target("Shared", "ConfigFile", ["CLinux", "CTOML", "SafeText", "SystemSupport"]),
  target("Shared", "Delivery", ["MediaCore", "SystemSupport"]),
  target(
    "Shared", "HTTPConnections", ["MediaCore", "SystemSupport", "TLSChannel", "TLSClient", nio, nioHTTP, nioPosix]),
  target("Shared", "JournalLogging", ["SafeText", "SystemSupport", logging]),
  target("Shared", "OpenSSLCrypto", ["COpenSSL", "MediaCore", "TransportCrypto"]),
  target("Shared", "SystemSupport", ["CLinux"]),
  target("Shared", "TLSChannel", ["TLSClient", nio]),
  target("Shared", "TLSClient", ["COpenSSL"]),
]

let hub: [Target] = [
  target("Hub", "HubCore", ["MediaCore", "Signalling", "SystemSupport", deque]),
  target(
    "Hub", "HubHTTP",
    [
      "ConfigFile", "Delivery", "HTTPConnections", "HubCore", "HubStore", "MediaCore", "OpenSSLCrypto", "SDP",
      "SafeText", "SessionToken", "Signalling", "SystemSupport", "TLSChannel", "TLSClient", httpTypes, hummingbird,
      hummingbirdCore, lifecycle, logging, nio, nioFoundation, nioHTTP, nioPosix,
    ], exclude: ["web"]),
  target(
    "Hub", "HubRedis",
    ["HubCore", "HubStore", "OpenSSLCrypto", "RedisClient", "Signalling", "SystemSupport", logging],
    resources: [.embedInCode("Functions")]),
  target("Hub", "HubStore", ["HubCore", "OpenSSLCrypto", "Signalling", "SystemSupport"]),
  target("Hub", "HubStoreSQLite", ["HubCore", "HubStore", "Signalling", "SystemSupport", grdb]),
  target("Hub", "RedisClient", ["CHiredis", "MediaCore", "SystemSupport", "TLSChannel", "TLSClient", nio, nioPosix]),
]

let programs: [Target] = [
  program(
    "livesessions",
    [
      "ALSAAudio", "Archive", "ArchiveReading", "CallPolicy", "CommandSuggestions", "ConfigFile", "ControlMessages",
      "DeviceActions", "DeviceConfiguration", "EventDetection", "MediaCore", "MediaPlaneAPI", "OpenSSLCrypto",
      "RealtimeRuntime", "SafeText", "SessionToken", "Signalling", "SystemSupport", "V4L2Capture", argumentParser,
    ]),
  program(
    "livesessions-hub",
    [
      "CLinux", "CommandSuggestions", "ConfigFile", "HubCore", "HubHTTP", "HubRedis", "HubStore", "HubStoreSQLite",
      "JournalLogging", "RedisClient", "SafeText", "Signalling", "SystemSupport", argumentParser, hummingbird, logging,
      .product(name: "UnixSignals", package: "swift-service-lifecycle"),
    ]),
  program(
    "livesessionsd",
    ["ControlMessages", "DeviceDiagnosis", "DeviceService", "SafeText", "SystemSupport", argumentParser]),
]

let testing: [Target] = [
  .target(
    name: "CTestSupport", path: "Sources/Testing/CTestSupport", linkerSettings: [.linkedLibrary("jpeg")]),
  target("Testing", "HubConformance", ["HubCore", "HubStore", "Signalling", "SystemSupport", "TestSupport"]),
  target("Testing", "SettingDocuments", ["ConfigFile", "DeviceConfiguration", "HubHTTP"]),
  target("Testing", "TestServers", ["COpenSSL", "SystemSupport", logging]),
  target("Testing", "TestSupport", ["MediaCore", "OpenSSLCrypto", "TransportCrypto", "WebM"]),
]

let testTargets: [Target] = [
  tests("ALSAAudioTests", ["ALSAAudio", "MediaCore"]),
  tests(
    "ArchiveReadingTests",
    [
      "Archive", "ArchiveReading", "MediaCore", "OpenSSLCrypto", "RealtimeRuntime", "SessionToken", "Signalling",
      "TestServers", "TestSupport", "TransportCrypto", "WebM",
    ]),
  tests(
    "ArchiveTests",
    [
      "Archive", "CTestSupport", "Evidence", "MediaCore", "OpenSSLCrypto", "RealtimeRuntime", "Signalling",
      "SystemSupport", "TestSupport", "TransportCrypto", "WebM",
    ]),
  tests(
    "ArchiveUploadTests",
    [
      "Archive", "ArchiveUpload", "ControlMessages", "DeviceConfiguration", "MediaCore", "MediaPlaneAPI",
      "ObjectStorage", "OpenSSLCrypto", "RealtimeRuntime", "Signalling", "SystemSupport", "TestServers", "TestSupport",
      logging,
    ]),
  tests("AudioProcessingTests", ["MediaCodecs", "AudioProcessing", "CTestSupport", "MediaCore", "TestSupport"]),
  tests(
    "CallEngineTests",
    [
      "CallEngine", "CallPolicy", "ControlMessages", "DeviceConfiguration", "EngineControl", "EventDetection",
      "HTTPConnections", "HubClient", "MediaCore", "MediaPlaneAPI", "RealtimeRuntime", "SessionToken", "Signalling",
      "SystemSupport", "TestServers", "TestSupport", logging,
    ]),
  tests("CallPolicyTests", ["CallPolicy", "MediaCore", "Signalling", "TestSupport"]),
  tests("CommandSuggestionsTests", ["CommandSuggestions", argumentParser]),
  tests("ConfigFileTests", ["ConfigFile"]),
  tests("CongestionControlTests", ["CongestionControl", "MediaCore", "TestSupport"]),
  tests(
    "ControlAPITests",
    [
      "CallPolicy", "ControlAPI", "ControlMessages", "EventDetection", "livesessions", "MediaPlaneAPI", "Signalling",
      "SystemSupport", "TestServers", argumentParser, logging,
    ]),
  tests("DeliveryTests", ["Delivery", "MediaCore", "SystemSupport"]),
  tests(
    "DeviceActionsTests",
    [
      "CallPolicy", "DeviceActions", "DeviceConfiguration", "DigitalIO", "EventDetection", "MediaCore",
      "RealtimeRuntime", "SystemSupport", logging,
    ]),
  tests(
    "DeviceConfigurationTests",
    [
      "CallPolicy", "ConfigFile", "Delivery", "DeviceConfiguration", "EventDetection", "MediaCore", "MotionDetection",
      "Signalling", "TLSClient", "VideoOverlay",
    ]),
  tests(
    "DeviceDiagnosisTests",
    [
      "CallPolicy", "ConfigFile", "ControlMessages", "DeviceConfiguration", "DeviceDiagnosis", "DigitalIO", "MediaCore",
      "MediaPipeline", "MediaPlaneAPI", "SystemSupport", "TestSupport",
    ]),
  tests(
    "DeviceEventsTests",
    [
      "ControlMessages", "DeviceActions", "DeviceConfiguration", "DeviceEvents", "EventDetection", "HostSystem",
      "MediaCore", "MediaPipeline", "MediaPlaneAPI", "RealtimeRuntime", "Signalling", "SystemSupport", "TestServers",
      "TestSupport", logging,
    ]),
  tests(
    "DeviceMediaTests",
    [
      "Archive", "CongestionControl", "DeviceMedia", "DTLSSRTP", "ICE", "MediaCore", "MediaPipeline", "MediaPlaneAPI",
      "NetworkLoop", "OpenSSLCrypto", "PeerSession", "RealtimeRuntime", "SDP", "Signalling", "SystemSupport",
      "MediaCodecs",
    ]),
  tests(
    "DeviceServiceTests",
    [
      "CallEngine", "ControlMessages", "DeviceService", "EngineControl", "JournalLogging", "MediaCore", "Signalling",
      "SystemSupport", "TestServers", "TestSupport", logging,
    ]),
  tests("DigitalIOTests", ["DigitalIO", "MediaCore"]),
  tests(
    "DTLSSRTPTests",
    ["CTestSupport", "DTLSSRTP", "MediaCore", "RTP", "SystemSupport", "TestSupport", "TransportCrypto"]),
  tests("EventDetectionTests", ["EventDetection", "MediaCore", "TestSupport"]),
  tests(
    "EventRulesTests",
    [
      "CallEngine", "CallPolicy", "ControlMessages", "Delivery", "DeviceConfiguration", "EventDetection", "EventRules",
      "MediaCore", "MediaPlaneAPI", "Signalling", "SystemSupport", logging,
    ]),
  tests(
    "EvidenceServiceTests",
    [
      "Archive", "ArchiveReading", "ControlMessages", "EvidenceService", "MediaCore", "MediaPlaneAPI", "OpenSSLCrypto",
      "RealtimeRuntime", "SessionToken", "Signalling", "SystemSupport", "TestServers", "TestSupport", logging,
    ]),
  tests("EvidenceTests", ["Evidence", "OpenSSLCrypto", "TestSupport", "TransportCrypto", "WebM"]),
  tests("GPSDLocationTests", ["GPSDLocation", "MediaCore", "SystemSupport", "TestSupport"]),
  tests("HostSystemTests", ["ControlMessages", "EventDetection", "HostSystem", "SystemSupport"]),
  tests(
    "HTTPConnectionsTests",
    ["COpenSSL", "HTTPConnections", "SystemSupport", "TestServers", "TLSClient", nio, nioHTTP, nioPosix]),
  tests(
    "HubClientTests",
    [
      "HTTPConnections", "HubClient", "MediaCore", "SessionToken", "Signalling", "SystemSupport", "TestServers",
      "TestSupport", logging, nio, nioHTTP, nioPosix,
    ]),
  tests("HubConformanceTests", ["HubConformance", "HubCore", "Signalling", "TestSupport"]),
  tests("HubCoreTests", ["HubConformance", "HubCore", "MediaCore", "Signalling", "TestSupport"]),
  tests(
    "HubHTTPTests",
    [
      "ConfigFile", "HTTPConnections", "HubCore", "HubHTTP", "HubRedis", "HubStore", "HubStoreSQLite",
      "livesessions-hub", "OpenSSLCrypto", "RedisClient", "SDP", "SessionToken", "Signalling", "SystemSupport",
      "TestServers", "TLSClient", httpTypes, hummingbird, lifecycle, logging, nio, nioFoundation, nioHTTP,
    ]),
  tests(
    "HubRedisTests",
    [
      "HubConformance", "HubCore", "HubRedis", "HubStore", "RedisClient", "Signalling", "SystemSupport", "TestServers",
      "TestSupport", logging,
    ]),
  tests(
    "HubStoreSQLiteTests",
    ["HubConformance", "HubCore", "HubStore", "HubStoreSQLite", "Signalling", "SystemSupport", "TestSupport", grdb]),
  tests("ICETests", ["ICE", "MediaCore", "OpenSSLCrypto", "Signalling", "TestSupport", "TransportCrypto"]),
  tests("JournalLoggingTests", ["JournalLogging", logging]),
  tests("MediaCoreTests", ["MediaCore"]),
  tests("MediaFilesTests", ["MediaCore", "MediaFiles"]),
  tests(
    "MediaPipelineTests",
    [
      "ALSAAudio", "AudioProcessing", "CTestSupport", "EventDetection", "MediaCodecs", "MediaCore", "MediaFiles",
      "MediaPipeline", "MotionDetection", "PixelConversion", "RealtimeRuntime", "Signalling", "SystemSupport",
      "TestSupport", "VideoOverlay",
    ]),
  tests("MotionDetectionTests", ["EventDetection", "MediaCore", "MotionDetection", "Signalling", "TestSupport"]),
  tests("MQTTClientTests", ["MediaCore", "MQTTClient", "SystemSupport"]),
  tests(
    "NetworkLoopTests",
    [
      "CTestSupport", "DTLSSRTP", "ICE", "MediaCore", "NetworkLoop", "OpenSSLCrypto", "PeerSession", "RealtimeRuntime",
      "Signalling", "SystemSupport", "TestSupport", "TLSClient", "TransportCrypto",
    ]),
  tests("ObjectStorageTests", ["ObjectStorage", "OpenSSLCrypto"]),
  tests(
    "OpenSSLCryptoTests",
    ["MediaCore", "OpenSSLCrypto", "SessionToken", "TestServers", "TestSupport", "TransportCrypto"]),
  tests(
    "PeerSessionTests",
    [
      "CongestionControl", "CTestSupport", "DTLSSRTP", "ICE", "MediaCore", "OpenSSLCrypto", "PeerSession", "RTP", "SDP",
      "TestSupport", "TransportCrypto",
    ]),
  tests("VideoOverlayTests", ["CTestSupport", "MediaCore", "VideoOverlay"]),
  tests("PixelConversionTests", ["CTestSupport", "MediaCore", "PixelConversion"]),
  tests("RealtimeRuntimeTests", ["MediaCore", "RealtimeRuntime", "SystemSupport", "TestSupport"]),
  tests("RedisClientTests", ["RedisClient", "SystemSupport", "TestServers", nio, nioPosix]),
  tests("RTPTests", ["MediaCore", "RTP", "TestSupport", "TransportCrypto"]),
  tests("SafeTextTests", ["SafeText"]),
  tests("SDPTests", ["MediaCore", "SDP", "TransportCrypto"]),
  tests("SettingDocumentsTests", ["ConfigFile", "SettingDocuments"]),
  tests("SessionTokenTests", ["SessionToken", "Signalling", "TestSupport"]),
  tests("SystemSupportTests", ["SystemSupport"]),
  tests(
    "TLSChannelTests",
    ["TestServers", "TLSChannel", "TLSClient", nio, .product(name: "NIOEmbedded", package: "swift-nio")]),
  tests("TLSClientTests", ["COpenSSL", "TestServers", "TLSClient"]),
  tests(
    "UnattendedTests",
    [
      "Archive", "CallEngine", "CallPolicy", "DeviceConfiguration", "EventDetection", "MediaCore", "RealtimeRuntime",
      "Signalling", "SystemSupport", "TestSupport",
    ]),
  tests("V4L2CaptureTests", ["CLinux", "CTestSupport", "MediaCore", "TestSupport", "V4L2Capture"]),
  tests("MediaCodecsTests", ["CTestSupport", "MediaCodecs", "MediaCore", "TestSupport"]),
  tests("WebMTests", ["CTestSupport", "MediaCore", "TestSupport", "WebM"]),
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
      "Archive", "AudioProcessing", "CLinux", "CTestSupport", "DTLSSRTP", "EventDetection", "HubConformance", "HubCore",
      "HubRedis", "MediaCodecs", "MediaCore", "MediaPipeline", "MotionDetection", "NetworkLoop", "OpenSSLCrypto",
      "PeerSession", "PixelConversion", "RealtimeRuntime", "RedisClient", "Signalling", "SystemSupport", "TestSupport",
      "TransportCrypto", "VideoOverlay", "WebM",
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

// `make test-tsan ONLY="HubCoreTests …"` compiles these targets and what they need.
if let names = Context.environment["LIVESESSIONS_ONLY"], !names.isEmpty {
  package.products = []
  package.targets = closure(of: names.split(separator: " ").map(String.init), among: package.targets)
}

// `make build` has SwiftPM plan once, and nothing but what the programs need: each plan costs a minute and a half.
if Context.environment["LIVESESSIONS_PROGRAMS_ALONE"] != nil {
  package.products.removeAll { product in !programs.contains { $0.name == product.name } }
  package.targets = closure(of: programs.map(\.name), among: package.targets)
}
