import ALSAAudio
import V4L2Capture

/// What `livesessions devices --json` prints: keys are an interface to other programs.
struct DevicesReport: Encodable {
  struct Request: Encodable {
    var width: Int
    var height: Int
    var frameRate: Int
    var format: String?
  }

  struct Camera: Encodable {
    var path: String
    var stablePath: String?
    var name: String
    var driver: String
    var bus: String
    var formats: [Format]
    /// Names of the inputs, by their numbers; one for a webcam.
    var inputs: [String]
    /// What the daemon would take for the request; absent when nothing would do.
    var choice: Choice?
  }

  struct Format: Encodable {
    var format: String
    var description: String
    /// `native`, `converted` (with more work) or `unusable`.
    var handling: String
    var sizes: [Size]
    var sizeRange: SizeRange?
  }

  struct Size: Encodable {
    var width: Int
    var height: Int
    var frameRates: [Double]
  }

  struct SizeRange: Encodable {
    var minimumWidth: Int
    var maximumWidth: Int
    var widthStep: Int
    var minimumHeight: Int
    var maximumHeight: Int
    var heightStep: Int
  }

  struct Choice: Encodable {
    var format: String
    var width: Int
    var height: Int
    /// The highest at this size, absent when the driver does not say.
    var frameRate: Double?
  }

  struct SoundCard: Encodable {
    var name: String
    var title: String
    var canCapture: Bool
    var canPlay: Bool
  }

  /// What `auto` would take.
  struct Automatic: Encodable {
    var camera: String
    var microphone: String
    var speaker: String
  }

  var request: Request
  var cameras: [Camera] = []
  var soundCards: [SoundCard]
  var automatic: Automatic
  /// What could not be inspected or used, as text.
  var problems: [String]
}

// MARK: - Reading

extension DevicesReport {
  /// Inspects the devices of this machine.
  init(_ request: CaptureRequest) {
    self.request = Request(
      width: request.width, height: request.height, frameRate: request.frameRate, format: request.format)
    let (found, failures) = CameraList.survey()
    let cards = AudioDeviceList.current()
    soundCards = cards.map {
      SoundCard(name: $0.name, title: $0.title, canCapture: $0.canCapture, canPlay: $0.canPlay)
    }
    automatic = Automatic(
      camera: found.first.map { $0.stablePath ?? $0.path } ?? "test:bars",
      microphone: cards.inPreference(for: .capture).first?.name ?? "test:tone",
      speaker: cards.inPreference(for: .playback).first?.name ?? "none")
    problems = failures.map(\.description)
    for camera in found { read(camera, request) }
  }

  private mutating func read(_ camera: CameraDescription, _ request: CaptureRequest) {
    do throws(V4L2Error) {
      let details = try CameraDetails(path: camera.path, request: request)
      var choice: Choice?
      switch details.choice {
      case .success(let mode): choice = Choice(mode)
      case .failure(let error): problems.append(error.description)
      }
      cameras.append(
        Camera(
          path: camera.path, stablePath: camera.stablePath, name: camera.name, driver: details.driver,
          bus: details.bus, formats: details.formats.map(Format.init), inputs: details.inputs, choice: choice))
    } catch {
      problems.append(error.description)
    }
  }
}

extension DevicesReport.Format {
  init(_ format: CameraFormat) {
    self.init(
      format: format.code, description: format.description, handling: Self.text(format.handling),
      sizes: format.sizes.map {
        DevicesReport.Size(width: $0.width, height: $0.height, frameRates: $0.frameRates)
      },
      sizeRange: format.sizeRange.map {
        DevicesReport.SizeRange(
          minimumWidth: $0.minimumWidth, maximumWidth: $0.maximumWidth, widthStep: $0.widthStep,
          minimumHeight: $0.minimumHeight, maximumHeight: $0.maximumHeight, heightStep: $0.heightStep)
      })
  }

  private static func text(_ handling: CameraFormat.Handling) -> String {
    switch handling {
    case .native: "native"
    case .converted: "converted"
    case .unusable: "unusable"
    }
  }
}

extension DevicesReport.Choice {
  init(_ choice: CameraChoice) {
    self.init(
      format: choice.format, width: choice.width, height: choice.height, frameRate: choice.highestFrameRate)
  }
}
