// Who says that memory runs low. Behind a protocol, so that tests and programs with a source of their own can
// put another in its place.

public protocol MemoryPressureSource: Sendable {
    /// Calls `letGo` each time memory runs low, on any thread, until `end`. Begun once at a time.
    func begin(_ letGo: @escaping @Sendable () -> Void)
    func end()
}
