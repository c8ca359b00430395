// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

func library(_ name: String) -> Target.Dependency { .product(name: name, package: "livesessions") }

let package = Package(
  name: "livesessions-benchmarks",
  dependencies: [
    .package(name: "livesessions", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "pipeline-bench",
      dependencies: [
        "MediaCodecs", "MediaCore", "MediaPipeline", "PixelConversion", "RealtimeRuntime", "VideoOverlay",
      ].map(library), swiftSettings: strict),
    .executableTarget(
      name: "archive-bench",
      dependencies: ["Archive", "MediaCore", "OpenSSLCrypto", "RealtimeRuntime", "Signalling", "WebM"].map(library),
      swiftSettings: strict),
    .executableTarget(
      name: "echo-bench", dependencies: ["AudioProcessing", "MediaCore"].map(library), swiftSettings: strict),
    .executableTarget(
      name: "call-bench",
      dependencies: [
        "AudioProcessing", "MediaCodecs", "MediaCore", "RealtimeRuntime", "SystemSupport",
      ].map(library), swiftSettings: strict),
    .executableTarget(
      name: "jitter-bench", dependencies: ["MediaCodecs", "AudioProcessing", "MediaCore", "TestSupport"].map(library),
      swiftSettings: strict),
    .executableTarget(
      name: "motion-bench",
      dependencies: [
        "EventDetection", "MediaCore", "MotionDetection", "PixelConversion", "Signalling", "TestSupport",
      ].map(library),
      swiftSettings: strict),
    .executableTarget(
      name: "transport-bench",
      dependencies: [
        "CTestSupport", "DTLSSRTP", "MediaCore", "NetworkLoop", "OpenSSLCrypto", "PeerSession", "RealtimeRuntime",
        "Signalling", "SystemSupport", "TransportCrypto",
      ].map(library), swiftSettings: strict),
    .executableTarget(
      name: "hub-load", dependencies: ["CLinux", "Signalling", "TestSupport"].map(library), swiftSettings: strict),
    .executableTarget(
      name: "hub-simulator",
      dependencies: ["HubCore", "HubRedis", "RedisClient", "Signalling", "TestSupport"].map(library) + [
        .product(name: "Logging", package: "swift-log")
      ], swiftSettings: strict),
    .executableTarget(
      name: "session-history-check", dependencies: [library("HubConformance")], swiftSettings: strict),
    .executableTarget(
      name: "test-media", dependencies: ["MediaCore", "MediaPipeline"].map(library), swiftSettings: strict),
  ]
)
