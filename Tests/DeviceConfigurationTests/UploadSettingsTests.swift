import ConfigFile
import DeviceConfiguration
import MediaCore
import Testing

@Suite struct UploadSettingsTests {
  private func settings(_ upload: String) throws -> DeviceConfiguration {
    try DeviceConfiguration(
      text: "[device]\ntitle = \"t\"\n[hub]\nurl = \"https://hub.example\"\n[upload]\n\(upload)", file: "d.toml")
  }

  private func errors(_ upload: String) -> [String] {
    do {
      _ = try settings(upload)
      return []
    } catch let error as ConfigErrors {
      return error.errors.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func nothingIsUploadedByDefault() throws {
    let upload = try settings("").upload
    #expect(upload.destination == nil && upload.destinationText == nil && !upload.deletesUploadedFirst)
    #expect(upload.maximumBitrate == nil && upload.maximumBitrateInCalls == Bitrate(bitsPerSecond: 0))
  }

  @Test func aBucketAndItsHost() throws {
    let text = "endpoint = \"https://s3.example:9000/\"\nbucket = \"recordings\"\nprefix = \"door\""
    let upload = try settings(text).upload
    guard case .bucket(let bucket)? = upload.destination else { return #expect(Bool(false)) }
    #expect(bucket.scheme == "https://" && bucket.endpointHost == "s3.example:9000" && bucket.isPathStyle)
    #expect(bucket.checksums == .auto && bucket.region == "us-east-1" && upload.prefix == "door/")
    #expect(upload.destinationText == "https://s3.example:9000/recordings/door/")
    guard case .bucket(let other)? = try settings(text + "\npath_style = false\nchecksums = \"md5\"").upload.destination
    else {
      return #expect(Bool(false))
    }
    #expect(!other.isPathStyle && other.checksums == .md5)
  }

  @Test func aFolder() throws {
    let upload = try settings("url = \"https://nas.example/in\"").upload
    #expect(upload.destination == .folder(url: "https://nas.example/in"))
    #expect(upload.destinationText == "https://nas.example/in/")
  }

  @Test(
    arguments: [
      ("endpoint = \"https://s3.example\"", "bucket is missing"),
      ("bucket = \"recordings\"", "bucket does nothing without endpoint"),
      ("url = \"https://nas.example\"\nchecksums = \"md5\"", "checksums does nothing without endpoint"),
      ("endpoint = \"https://s3.example\"\nbucket = \"abc\"\nchecksums = \"crc\"", "checksums cannot be \"crc\""),
      ("endpoint = \"https://s3.example\"\nbucket = \"a.bc\"\npath_style = false", "does not cover a.bc.s3.example"),
      ("endpoint = \"https://10.0.0.1:9000\"\nbucket = \"abc\"\npath_style = false", "10.0.0.1:9000 has none"),
      ("endpoint = \"https://[2001:db8::1]\"\nbucket = \"abc\"\npath_style = false", "has none"),
      ("max_bitrate = \"1Mbit/s\"", "endpoint is missing"),
      ("endpoint = \"http://s3.example\"\nbucket = \"recordings\"", "plain http to another machine shows recordings"),
      ("url = \"http://nas.example\"", "plain http to another machine shows recordings and password"),
      ("endpoint = \"https://s3.example/x\"\nbucket = \"recordings\"", "endpoint has a path"),
      ("endpoint = \"s3.example\"\nbucket = \"recordings\"", "is not the URL of an S3-compatible store"),
      ("endpoint = \"https://s3.example\"\nbucket = \"a/b\"", "cannot be a bucket's name"),
      ("endpoint = \"https://s3.example\"\nbucket = \"abc\"\nurl = \"https://nas.example\"", "either to a bucket"),
      ("endpoint = \"https://s3.example\"\nbucket = \"abc\"\nprefix = \"../x\"", "prefix cannot be"),
      ("endpoint = \"https://s3.example\"\nbucket = \"abc\"\nregion = \"a b\"", "cannot be a region"),
      ("url = \"https://nas.example\"\nmax_bitrate = \"1kbit/s\"", "outside 16000"),
      ("url = \"https://nas.example\"\ncredentials_file = \"key\"", "absolute path"),
      ("url = \"https://user:password@nas.example\"", "is not the URL of a folder"),
    ])
  func whatCannotBeIsTold(text: String, words: String) {
    let errors = errors(text)
    #expect(errors.contains { $0.contains(words) && $0.hasPrefix("d.toml:") }, "\(errors)")
  }

  @Test func credentialsMustBeOnesOwn() throws {
    let upload = try settings("url = \"https://nas.example\"\ncredentials_file = \"/etc/hostname\"").upload
    #expect(throws: ConfigErrors.self) { try upload.credentials(credentialsDirectory: nil) }
    #expect(try settings("url = \"https://nas.example\"").upload.credentials(credentialsDirectory: "/nowhere") == nil)
  }

  @Test func aProgramForArchives() throws {
    let text = "[archive]\non_archive = [\"/bin/true\", \"x\"]\non_archive_timeout = \"5m\""
    let program = try settings(text).archive.program
    #expect(program == ProgramSettings(command: ["/bin/true", "x"], timeout: .seconds(300)))
    #expect(errors("[archive]\non_archive = [\"true\"]").contains { $0.contains("absolute path of a program") })
  }
}
