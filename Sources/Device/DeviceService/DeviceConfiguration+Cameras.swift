import DeviceConfiguration
import DeviceMedia
import MediaPipeline
import MediaPlaneAPI
import RealtimeRuntime

extension DeviceConfiguration {
  /// What captures and encodes further cameras; nothing is opened before somebody wants them.
  func makeCameras(_ observers: DeviceObservers) -> [FurtherCamera] {
    cameras.map { camera in
      let (settings, bus) = (pipelineConfiguration(of: camera), FrameBus())
      let probe = SourceProbe(settings, speaker: .none)
      return FurtherCamera(
        name: camera.name, source: camera.selection.name,
        pipeline: MediaPipeline(configuration: settings, bus: bus, observers: observers.media(of: camera.name)),
        bus: bus, bitrate: settings.videoBitrate, isWatched: events.sources.contains { $0.camera == camera.name },
        probe: { await probe.problem(of: .camera) })
    }
  }

  private func pipelineConfiguration(of camera: CameraSettings) -> MediaPipelineConfiguration {
    var pipeline = camera.video.pipelineConfiguration
    pipeline.privacyAreas = privacyMasks.compactMap { mask in
      guard mask.camera == nil || mask.camera == .further(camera.name) else { return nil }
      return PrivacyArea(mask.zone)
    }
    return pipeline
  }
}

extension CameraSettings {
  var selection: VideoSourceSelection { source.selection }
}
