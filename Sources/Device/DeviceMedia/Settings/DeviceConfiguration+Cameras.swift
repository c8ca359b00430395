public import DeviceConfiguration
import MediaCore
public import MediaPipeline
import MediaPlaneAPI
import RealtimeRuntime

extension DeviceConfiguration {
  /// What captures and encodes further cameras; they are opened on demand.
  ///
  /// - Parameter observers: those of the camera of a name, of the main one by nil.
  public func makeCameras(_ observers: (String?) -> MediaObservers) -> [FurtherCamera] {
    cameras.map { camera in
      let (settings, bus) = (pipelineConfiguration(of: camera), FrameBus())
      let pipeline = MediaPipeline(configuration: settings, bus: bus, observers: observers(camera.name))
      let probe = SourceProbe(settings, speaker: .none, of: pipeline)
      return FurtherCamera(
        name: camera.name, source: camera.selection.name, pipeline: pipeline,
        bus: bus, bitrate: settings.videoBitrate, isWatched: watchedCameras.contains(camera.name),
        probe: { await probe.problem(of: .camera) })
    }
  }

  /// What shows all cameras in one frame of the main one's size; nil where there is only one.
  ///
  /// - Parameter observers: those of the camera of a name, of the main one by nil.
  public func makeMosaic(_ observers: (String?) -> MediaObservers) -> Mosaic? {
    guard !cameras.isEmpty else { return nil }
    let shown = [(CameraSettings.mainName, nil)] + cameras.map { ($0.name, Optional($0.name)) }
    let bus = FrameBus()
    let pipeline = MediaPipeline(
      mosaic: shown.compactMap { name, camera in
        observers(camera).tap.map { MosaicCamera(name: name, tap: $0) }
      }, configuration: video.pipelineConfiguration, bus: bus)
    return Mosaic(pipeline: pipeline, bus: bus, bitrate: video.bitrate)
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
  /// What is captured.
  public var selection: VideoSourceSelection { source.selection }
}
