import Archive
import AudioProcessing
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import Signalling

/// Maps the counters of pipeline, network, playout and disk to telemetry.

extension MediaTelemetry {
  /// What the pipeline counts.
  init(_ counters: MediaPipelineStatistics, isCapturing: Bool, _ targetBitrate: Bitrate) {
    self.init()
    video = VideoTelemetry(counters, targetBitrate: targetBitrate, isCapturing: isCapturing)
    microphone = MicrophoneTelemetry(counters)
    sound = counters.echo.map { SoundTelemetry($0) }
  }
}

extension VideoTelemetry {
  /// - Parameter isCapturing: whether the rates are of now.
  init(_ counters: MediaPipelineStatistics, targetBitrate: Bitrate, isCapturing: Bool) {
    self.init()
    framesCaptured = counters.framesCaptured
    framesDamaged = counters.framesDamaged
    framesDropped = counters.framesDropped
    framesThinned = counters.framesThinned
    framesSkipped = counters.framesSkipped
    framesEncoded = counters.framesEncoded
    framesRepeated = counters.framesRepeated
    keyFrames = counters.keyFrames
    bytes = counters.videoBytes
    bytesSaved = counters.videoBytesSaved
    failures = counters.cameraFailures
    encodeTime = counters.video.encodeTime.seconds * 1_000
    self.targetBitrate = targetBitrate.bitsPerSecond
    (width, height) = (counters.video.encodedWidth, counters.video.encodedHeight)
    guard isCapturing else { return }
    (captureRate, encodeRate) = (counters.video.capturedRate, counters.video.encodedRate)
    stillShare = counters.video.stillShare
  }
}

extension MicrophoneTelemetry {
  init(_ counters: MediaPipelineStatistics) {
    self.init()
    packetsEncoded = counters.packetsEncoded
    bytes = counters.audioBytes
    overruns = counters.audioOverruns
    failures = counters.microphoneFailures
  }
}

extension PlayoutTelemetry {
  init(_ counters: AudioPlayoutStatistics) {
    self.init()
    packetsPlayed = counters.played
    packetsLate = counters.late
    packetsSkipped = counters.skipped
    recovered = Int(clamping: counters.recovered.milliseconds)
    concealed = Int(clamping: counters.concealed.milliseconds)
    accelerated = Int(clamping: counters.accelerated.milliseconds)
    expanded = Int(clamping: counters.expanded.milliseconds)
    underruns = counters.underruns
    delay = Int(clamping: counters.delay.milliseconds)
    targetDelay = Int(clamping: counters.targetDelay.milliseconds)
  }
}

extension SoundTelemetry {
  init(_ echo: EchoControlStatistics) {
    self.init(
      echoReturnLossEnhancement: echo.echoReturnLossEnhancement.map { Double($0) },
      echoDelay: echo.delayMilliseconds, speechLevel: echo.speechLevel.map { Double($0) })
  }
}

extension MediaPlaneStatus.Session {
  init(_ reading: SessionMetering.Reading) {
    self.init(
      sessionID: reading.session.sessionID, isConnected: reading.counters.isConnected,
      sendBitrate: reading.sendBitrate, receiveBitrate: reading.receiveBitrate,
      roundTripTime: reading.counters.roundTripTime.map { Int(clamping: $0.milliseconds) })
  }
}

extension SessionTelemetry {
  init(_ reading: SessionMetering.Reading) {
    let counters = reading.counters
    self.init(sessionID: reading.session.sessionID.text, isConnected: counters.isConnected)
    (sendBitrate, receiveBitrate) = (reading.sendBitrate, reading.receiveBitrate)
    sendEstimate = counters.sendEstimate?.bitsPerSecond
    roundTripTime = counters.roundTripTime.map { Int(clamping: $0.milliseconds) }
    packetsSent = Int64(clamping: counters.packetsSent)
    packetsReceived = Int64(clamping: counters.packetsReceived)
    bytesSent = Int64(clamping: counters.bytesSent)
    bytesReceived = Int64(clamping: counters.bytesReceived)
    packetsResent = Int64(clamping: counters.packetsResent)
    sendPacketsLost = counters.sendPacketsLost
    sendLoss = counters.sendLoss.map { Double($0) / 256 }
    receivePacketsLost = counters.receivePacketsLost
  }
}

extension DiskTelemetry {
  init(_ usage: ArchiveUsage) {
    self.init(
      free: Int64(clamping: usage.disk.free), capacity: Int64(clamping: usage.disk.capacity),
      minimumFree: Int64(clamping: usage.limits.minimumFree), archives: Int64(clamping: usage.byteCount),
      maximumArchives: usage.limits.maximumTotal.map { Int64(clamping: $0) })
  }
}
