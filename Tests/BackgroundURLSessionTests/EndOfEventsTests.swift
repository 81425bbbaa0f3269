// The end of waiting events is told once, and only to whom it was promised.
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct EndOfEventsTests {
    /// What the app is told after so many tasks' events waited at each of its attachments, and then, if the
    /// service says so, that there are no more.
    private func told(waiting: [Int], thenFinished: Bool) -> [String] {
        var end = EndOfEvents()
        var told: [String] = []
        for (number, count) in waiting.enumerated() {
            if end.attached(waiting: count, again: number > 0) { told.append("at attachment \(number)") }
        }
        if thenFinished, end.finished() { told.append("by the service") }
        return told
    }

    @Test func `what waited at the beginning has an end, which the service tells`() {
        #expect(told(waiting: [2], thenFinished: true) == ["by the service"])
    }

    @Test func `a service that died with the last acknowledgement on disk leaves the end to us, once`() {
        #expect(told(waiting: [1, 0, 0], thenFinished: false) == ["at attachment 1"])
    }

    @Test func `an end that is due and waits again is the next service's to tell`() {
        #expect(told(waiting: [2, 1], thenFinished: true) == ["by the service"])
    }

    @Test func `who attached to nothing hears no end of what waits after a lost service`() {
        #expect(told(waiting: [0, 1], thenFinished: true) == [])
    }

    // MARK: Of a session

    /// A session whose attachment found two tasks' events waiting, of which none comes.
    private func waitingSession() throws -> (service: FakeService, session: URLSession, recorder: Recorder) {
        let service = try FakeService()
        service.answer(AttachSession.method) { _ in
            .result(AttachSession.Result(nextTaskIdentifier: 3, waitingEvents: 2))
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        try session.waitUntilAttached()
        return (service, session, recorder)
    }

    @Test func `a service that is gone for good leaves the end that is due to us`() throws {
        let (service, _, recorder) = try waitingSession()
        service.stop()
        #expect(recorder.wait(for: "events finished", seconds: 30) == ["events finished"])
    }

    @Test func `a session that becomes invalid tells the end that is due first`() throws {
        let (_, session, recorder) = try waitingSession()
        session.invalidateAndCancel()
        #expect(recorder.wait(for: "invalid", seconds: 30) == ["events finished", "invalid nil"])
    }
}
