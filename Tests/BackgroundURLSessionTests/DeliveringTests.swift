// From the service's news to the delegate's calls.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct DeliveringTests {
    let url = URL(string: "http://127.0.0.1:1/file")

    @Test func aDownloadIsToldInOrderAndAcknowledgedAfterTheDelegateReturned() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let early = Guarded(-1)
        let contents = Guarded<Data?>(nil)
        recorder.onFile = { task, location in
            Thread.sleep(forTimeInterval: 0.05)
            early.with { $0 = service.methods.filter { $0 == AcknowledgeEvent.method }.count }
            contents.with { $0 = try? Data(contentsOf: location) }
            #expect(task.state == .running)
            #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        }
        recorder.onComplete = { task, _ in #expect(task.state == .completed) }
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let task = session.downloadTask(with: try #require(url))
        task.resume()
        try session.commit()
        let path = try service.handOver("file", Data(repeating: 1, count: 500))
        var snapshot = TaskSnapshot.fake(1, received: 500, expected: 500)
        snapshot.response = ResponseRecord(url: "http://127.0.0.1:1/file", status: 200)
        try service.tell(
            ReportProgress(tasks: [
                ProgressNote(identifier: 1, received: 300, expected: 500, sent: 0, expectedToSend: nil)
            ]))
        _ = recorder.wait(for: "wrote 1")
        try service.event(5, .downloaded(path: path, bytes: 500), snapshot)
        try service.event(6, .completed(error: nil), snapshot)
        try service.tell(EventsFinished())
        #expect(
            recorder.wait(for: "events finished") == [
                "created 1", "wrote 1 300 300 500", "wrote 1 200 500 500", "file 1", "complete 1 nil",
                "events finished",
            ])
        #expect(early.with { $0 } == 0)
        #expect(contents.with { $0 }?.count == 500)
        #expect(!FileManager.default.fileExists(atPath: path))
        let acknowledged = try service.wait(for: AcknowledgeEvent.method, 2)
            .map { try $0.read(AcknowledgeEvent.self).sequence }
        #expect(acknowledged == [5, 6])
        #expect(Set(recorder.tasks) == [ObjectIdentifier(task)])
        #expect(task.error == nil)
    }

    @Test func aBlockedDelegateCostsOneMessageForEachTask() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let queue = OperationQueue()
        queue.isSuspended = true
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: queue)
        let task = session.downloadTask(with: try #require(url))
        task.resume()
        try session.commit()
        for received in 1...200 {
            try service.tell(
                ReportProgress(tasks: [
                    ProgressNote(
                        identifier: 1, received: Int64(received), expected: nil, sent: 0, expectedToSend: nil)
                ]))
        }
        let progress = task.progress
        while task.countOfBytesReceived < 200 { usleep(1000) }
        #expect(progress.completedUnitCount == 200)
        #expect(progress.isIndeterminate)
        queue.isSuspended = false
        try service.event(1, .completed(error: nil), .fake(1, received: 200))
        #expect(recorder.wait(for: "complete") == ["created 1", "wrote 1 200 200 -1", "complete 1 nil"])
    }

    @Test func aConcurrentDelegateQueueIsCalledOneAtATime() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let inside = Guarded(0)
        recorder.onComplete = { _, _ in
            #expect(
                inside.with {
                    $0 += 1; return $0
                } == 1)
            usleep(500)
            inside.with { $0 -= 1 }
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: queue)
        try session.waitUntilAttached()
        for number in 1...100 {
            try service.event(Int64(number), .completed(error: nil), .fake(number, .download, .finished))
        }
        let heard = recorder.wait(for: "complete 100 ")
        #expect(heard == (1...100).map { "complete \($0) nil" })
    }

    @Test func anUploadsAnswerComesInPieces() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        try session.waitUntilAttached()
        let path = try service.handOver("answer", Data(repeating: 2, count: 100_000))
        var snapshot = TaskSnapshot.fake(3, .upload, .finished)
        snapshot.sent = 1000
        snapshot.expectedToSend = 1000
        try service.event(1, .answered(path: path, bytes: 100_000), snapshot)
        try service.event(2, .completed(error: nil), snapshot)
        #expect(recorder.wait(for: "complete") == ["data 3 65536", "data 3 34464", "complete 3 nil"])
        #expect(service.wait(for: AcknowledgeEvent.method, 2).count == 2)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func anAnswerIsAcknowledgedWithItsTasksEnd() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: queue)
        try session.waitUntilAttached()
        let path = try service.handOver("answer", Data(repeating: 2, count: 10))
        let snapshot = TaskSnapshot.fake(3, .upload, .finished)
        try service.event(1, .answered(path: path, bytes: 10), snapshot)
        _ = recorder.wait(for: "data 3 10")
        // Behind the call that has just been made, and behind whatever it has sent.
        queue.addOperations([BlockOperation {}], waitUntilFinished: true)
        try session.commit()
        #expect(service.wait(for: AcknowledgeEvent.method, 0).isEmpty)
        try service.event(2, .completed(error: nil), snapshot)
        let sequences = try service.wait(for: AcknowledgeEvent.method, 2)
            .map { try $0.read(AcknowledgeEvent.self).sequence }
        #expect(sequences == [1, 2])
    }

    @Test func aCancelledDataTasksEndIsHeardOnceAndAcknowledged() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let task = session.dataTask(with: try #require(url))
        task.resume()
        task.cancel()
        try session.commit()
        try service.event(1, .completed(error: .cancelled), .fake(1, .data, .failed))
        #expect(recorder.wait(for: "complete") == ["created 1", "complete 1 -999"])
        let acknowledged = try service.wait(for: AcknowledgeEvent.method)
            .map { try $0.read(AcknowledgeEvent.self) }
        #expect(acknowledged.map(\.sequence) == [1])
        #expect(acknowledged.map(\.withheld) == [nil])
    }

    @Test func aDataTaskThatEndedBeforeItsCancellationIsHeardAsCancelledAndAcknowledged() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let task = session.dataTask(with: try #require(url))
        task.resume()
        task.cancel()
        try session.commit()
        try service.event(1, .completed(error: nil), .fake(1, .data, .finished))
        #expect(recorder.wait(for: "complete") == ["created 1", "complete 1 -999"])
        let acknowledged = try service.wait(for: AcknowledgeEvent.method).first?.read(AcknowledgeEvent.self)
        #expect(acknowledged?.sequence == 1 && acknowledged?.withheld == nil)
    }

    @Test func whyTheServiceCancelledADataTaskIsHeard() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let reason = Guarded<URLError.BackgroundTaskCancelledReason?>(nil)
        recorder.onComplete = { _, error in
            reason.with { $0 = (error as? URLError)?.backgroundTaskCancelledReason }
        }
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.dataTask(with: try #require(url)).resume()
        try session.commit()
        var record = ErrorRecord(-999, "The user ended the program.")
        record.cancelledReason = 0
        try service.event(1, .completed(error: record), .fake(1, .data, .failed))
        _ = recorder.wait(for: "complete")
        #expect(reason.with { $0 } == .userForceQuitApplication)
    }

    @Test func aContinuedDownloadSaysWhereAndCountsFromThere() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let task = session.downloadTask(with: try #require(url))
        task.resume()
        try session.commit()
        try service.event(1, .resumed(offset: 700, expected: 1000), .fake(1, received: 700, expected: 1000))
        try service.tell(
            ReportProgress(tasks: [
                ProgressNote(identifier: 1, received: 900, expected: 1000, sent: 0, expectedToSend: nil)
            ]))
        #expect(recorder.wait(for: "wrote") == ["created 1", "resumed 1 700 1000", "wrote 1 200 900 1000"])
    }

    @Test func theListGivesTheObjectTheDelegateGets() async throws {
        let service = try FakeService()
        service.answer(ListTasks.method) { heard in
            let after = (try? heard.read(ListTasks.self))?.after ?? 0
            var never = TaskSnapshot.fake(4, .download, .suspended)
            never.wasResumed = false
            return after == 0
                ? .result(
                    ListTasks.Result(
                        tasks: [
                            .fake(1, received: 400_000, expected: 2_000_000, description: "audiobook-42"),
                            .fake(2, .upload),
                        ], next: 2))
                : .result(ListTasks.Result(tasks: [.fake(3, .download, .failed), never], next: nil))
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let tasks = await session.allTasks
        #expect(tasks.map(\.taskIdentifier) == [1, 2])
        #expect(tasks.first?.taskDescription == "audiobook-42")
        #expect(tasks.first?.countOfBytesReceived == 400_000)
        #expect(tasks.first?.countOfBytesExpectedToReceive == 2_000_000)
        #expect(tasks.first?.state == .running)
        let (data, uploads, downloads) = await session.tasks
        #expect(data.isEmpty && uploads.count == 1)
        #expect(downloads.first === tasks.first)
        try service.event(1, .completed(error: nil), .fake(1))
        _ = recorder.wait(for: "complete")
        #expect(recorder.tasks == tasks.first.map { [ObjectIdentifier($0)] })
    }

    @Test func aKeptTaskIsShownAndNotAcknowledged() throws {
        let service = try FakeService()
        let recorder = Recorder()
        recorder.onFile = { task, _ in task.keepUndelivered() }
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        try session.waitUntilAttached()
        let path = try service.handOver("file", Data("x".utf8))
        try service.event(1, .downloaded(path: path, bytes: 1), .fake(1, received: 1))
        try service.event(2, .completed(error: nil), .fake(1, received: 1))
        try service.event(3, .completed(error: nil), .fake(2))
        #expect(recorder.wait(for: "complete 2") == ["file 1", "complete 1 nil", "complete 2 nil"])
        let acknowledged = try service.wait(for: AcknowledgeEvent.method, 3)
            .map { try $0.read(AcknowledgeEvent.self) }
        #expect(acknowledged.map(\.sequence) == [1, 2, 3])
        #expect(acknowledged.map(\.withheld) == [true, true, nil])
    }

    @Test func anEventOfAKindNobodyKnowsYetIsLeftToANewerClient() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        try session.waitUntilAttached()
        service.tell(
            line: #"{"jsonrpc":"2.0","method":"event","params":{"sequence":7,"event":{"eclipsed":{}}}}"#)
        try service.event(8, .completed(error: nil), .fake(1))
        #expect(recorder.wait(for: "complete") == ["complete 1 nil"])
        let acknowledged = try service.wait(for: AcknowledgeEvent.method, 2)
            .map { try $0.read(AcknowledgeEvent.self) }
        #expect(acknowledged.map(\.sequence) == [7, 8])
        #expect(acknowledged.map(\.withheld) == [true, nil])
    }

    @Test func anErrorIsRebuiltWithItsKeys() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let caught = Guarded<(any Error)?>(nil)
        recorder.onComplete = { _, error in caught.with { $0 = error } }
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        try session.waitUntilAttached()
        var record = ErrorRecord(
            -999, "The user ended the program.", url: "http://127.0.0.1:1/file", path: "/p")
        record.cancelledReason = 0
        record.resumeData = Data("held".utf8)
        try service.event(1, .completed(error: record), .fake(1))
        _ = recorder.wait(for: "complete")
        let error = try #require(caught.with { $0 } as? URLError)
        #expect(error.code == .cancelled)
        #expect((error as NSError).code == NSURLErrorCancelled)
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect(error.localizedDescription == "The user ended the program.")
        #expect(error.backgroundTaskCancelledReason == .userForceQuitApplication)
        #expect(error.downloadTaskResumeData == Data("held".utf8))
        #expect((error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data == Data("held".utf8))
        #expect(error.failingURL?.absoluteString == "http://127.0.0.1:1/file")
    }
}
