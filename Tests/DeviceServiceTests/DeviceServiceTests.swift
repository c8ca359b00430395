import Testing

/// One daemon at a time: the threads of the process are counted.
@Suite("The daemon as a whole", .serialized, .timeLimit(.minutes(1)))
enum DeviceServiceTests {}
