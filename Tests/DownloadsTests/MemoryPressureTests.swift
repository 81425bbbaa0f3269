// When memory counts as low, and that somebody is told, once each time.

import Foundation
import Testing

@testable import Downloads

struct MemoryPressureTests {
    static let plenty = "MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    900 kB\n"
    static let low = "MemTotal:       1000 kB\nMemAvailable:     49 kB\n"

    @Test(arguments: [
        (plenty, false), (low, true), ("MemTotal: 1000 kB\nMemAvailable: 50 kB\n", false),
        ("", false), ("MemTotal: 0 kB\nMemAvailable: 0 kB\n", false), ("MemTotal: 1000 kB\n", false),
        ("MemTotal: many kB\nMemAvailable: 0 kB\n", false),
    ])
    func `little of all memory available is low`(meminfo: String, isLow: Bool) {
        #expect(MemoryPressure.isLow(meminfo) == isLow)
    }

    /// What one after another sees, and who was told meanwhile.
    final class Course: @unchecked Sendable {
        private let lock = NSLock()
        private var states: [String?]
        private var told = 0

        init(_ states: [String?]) { self.states = states }
        func look() -> String? {
            lock.withLock { states.isEmpty ? MemoryPressureTests.plenty : states.removeFirst() }
        }
        func tell() { lock.withLock { told += 1 } }
        var isOver: Bool { lock.withLock { states.isEmpty } }
        var count: Int { lock.withLock { told } }
    }

    @Test func `without the kernel's trigger the available memory is looked at, and each fall is told once`()
        async throws
    {
        let course = Course([
            Self.plenty, Self.low, Self.low, Self.plenty, nil, Self.low, Self.low, Self.plenty,
        ])
        let pressure = MemoryPressure(pressureFile: "/none", interval: 0.001, meminfo: course.look)
        pressure.begin(course.tell)
        try await eventually { course.isOver }
        pressure.end()
        #expect(course.count == 2)
    }

    @Test func `the kernel's own trigger can be listened to and let go of, where there is one`() {
        let pressure = MemoryPressure()
        for _ in 0..<3 { pressure.begin {} }
        pressure.end()
        pressure.end()
    }
}

/// Until it is true, within a minute.
func eventually(_ isTrue: () throws -> Bool) async throws {
    let deadline = Date().addingTimeInterval(60)
    while try !isTrue() {
        try #require(Date() < deadline, "waited a minute in vain")
        try await Task.sleep(nanoseconds: 10_000_000)
    }
}
