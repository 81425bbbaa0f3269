// Making tasks and commanding them: what the service is told, and when.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct MakingTests {
    let url = URL(string: "http://127.0.0.1:1/a%2Fb?q=%40+x")

    @Test func resumeIsWrittenWhenItReturns() throws {
        let service = try FakeService()
        service.answer(AttachSession.method) { [service] _ in
            service.closeGate()
            return .result(AttachSession.Result(nextTaskIdentifier: 7, waitingEvents: 0))
        }
        let session = URLSession(configuration: service.configuration())
        let task = session.downloadTask(with: try #require(url))
        #expect(task.taskIdentifier == 7)
        task.taskDescription = "audiobook-42"
        task.resume()
        let unread = service.unread()
        #expect(unread.contains("task.create"))
        #expect(unread.contains("audiobook-42"))
        #expect(unread.contains("task.resume"))
        service.openGate()
        #expect(service.wait(for: ResumeTask.method).count == 1)
        service.answer(AttachSession.method) { _ in .silence }
    }

    @Test func aRequestReachesTheServiceByteForByte() throws {
        let service = try FakeService()
        let session = URLSession(configuration: service.configuration())
        var request = URLRequest(url: try #require(url))
        request.setValue("2", forHTTPHeaderField: "X-B")
        request.setValue("1", forHTTPHeaderField: "X-A")
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.timeoutInterval = 5
        _ = session.downloadTask(with: request)
        let create = try #require(service.wait(for: CreateTask.method).first).read(CreateTask.self)
        #expect(create.request.url == "http://127.0.0.1:1/a%2Fb?q=%40+x")
        #expect(create.request.headers == [HeaderField("X-A", "1"), HeaderField("X-B", "2")])
        #expect(create.request.method == "POST")
        #expect(create.request.timeout == 5)
        let path = try #require(create.request.bodyFile)
        #expect(path.hasPrefix(service.home.incoming))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("body".utf8))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func suspendAndResumeNest() throws {
        let service = try FakeService()
        let session = URLSession(configuration: service.configuration())
        let task = session.downloadTask(with: try #require(url))
        #expect(task.state == .suspended)
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        try session.commit()
        #expect(
            service.methods.filter { $0.hasPrefix("task.") && $0 != ListTasks.method } == [
                "task.create", "task.resume", "task.suspend", "task.resume",
            ])
    }

    @Test func addressesThatCannotBeTransferredFailWhenResumed() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        for (address, code) in [("ftp://host/a", -1002), ("relative", -1002), ("http:///a", -1000)] {
            let task = session.downloadTask(with: try #require(URL(string: address)))
            task.resume()
            _ = recorder.wait(for: "complete \(task.taskIdentifier)")
            #expect((task.error as? URLError)?.errorCode == code, "\(address)")
        }
        #expect(!service.methods.contains(CreateTask.method))
    }

    @Test func anUploadSaysWhatItsFileWas() throws {
        let service = try FakeService()
        let session = URLSession(configuration: service.configuration())
        let path = service.home.folder + "/source"
        try Data(repeating: 7, count: 1000).write(to: URL(fileURLWithPath: path))
        let task = session.uploadTask(
            with: URLRequest(url: try #require(url)), fromFile: URL(fileURLWithPath: path))
        #expect(task as URLSessionTask is URLSessionDataTask)
        #expect(task.countOfBytesExpectedToSend == 1000)
        let create = try #require(service.wait(for: CreateTask.method).first).read(CreateTask.self)
        #expect(create.kind == .upload)
        #expect(create.request.method == "POST")
        #expect(create.source == UploadSource(path: path))
    }

    @Test func filesThatCannotBeSentFailWhenResumedWithTheirPath() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let secret = service.home.folder + "/secret"
        try Data().write(to: URL(fileURLWithPath: secret))
        chmod(secret, 0)
        var cases = [(service.home.folder + "/nothing", -1100), (service.home.folder, -1101)]
        if geteuid() != 0 { cases.append((secret, -1102)) }
        for (path, code) in cases {
            let task = session.uploadTask(
                with: URLRequest(url: try #require(url)), fromFile: URL(fileURLWithPath: path))
            #expect(task.state == .suspended)
            task.resume()
            _ = recorder.wait(for: "complete \(task.taskIdentifier)")
            let error = try #require(task.error as? URLError)
            #expect(error.errorCode == code)
            #expect(error.userInfo[NSFilePathErrorKey] as? String == path)
        }
    }

    @Test func aTaskTheServiceWillNotMakeFailsWhenResumed() throws {
        let service = try FakeService()
        service.answer(CreateTask.method) { _ in .refuse(.invalidRequest("no data tasks")) }
        service.answer(ResumeTask.method) { _ in .refuse(.refused(.noSuchTask, "no such task")) }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let early = session.dataTask(with: try #require(url))
        early.resume()
        #expect(recorder.wait(for: "complete").last == "complete 1 -997")
        let late = session.dataTask(with: try #require(url))
        #expect(throws: ServiceError.refused(message: "no data tasks")) { try session.commit() }
        late.resume()
        _ = recorder.wait(for: "complete 2")
        #expect(recorder.heard.filter { $0.hasPrefix("complete") } == ["complete 1 -997", "complete 2 -997"])
        #expect(late.error?.localizedDescription == "no data tasks")
    }

    @Test func cancellingWithResumeDataNeedsNeitherTheCallerNorItsQueue() throws {
        let service = try FakeService()
        let data = try JSONEncoder().encode(
            ResumeDataHead(request: RequestRecord(url: "http://127.0.0.1:1/held")))
        service.answer(CancelTask.method) { _ in .result(CancelTask.Result(resumeData: data)) }
        let queue = OperationQueue()
        queue.isSuspended = true
        let session = URLSession(
            configuration: service.configuration(), delegate: Recorder(), delegateQueue: queue)
        let task = session.downloadTask(with: try #require(url))
        task.resume()
        let done = DispatchSemaphore(value: 0)
        let got = Guarded<Data?>(nil)
        task.cancel { data in
            got.with { $0 = data }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 10) == .success)
        #expect(got.with { $0 } == data)
        #expect(task.state == .canceling)
        let next = session.downloadTask(withResumeData: data)
        #expect(next.originalRequest?.url?.absoluteString == "http://127.0.0.1:1/held")
        let create = try #require(service.wait(for: CreateTask.method, 2).last).read(CreateTask.self)
        #expect(create.resumeData == data)
    }

    @Test func fieldsOfAResumedRequestCanBeRenewed() throws {
        let service = try FakeService()
        let session = URLSession(configuration: service.configuration())
        var held = RequestRecord(url: "http://127.0.0.1:1/held")
        held.headers = [HeaderField("authorization", "Bearer old"), HeaderField("X-Kept", "1")]
        let data = try JSONEncoder().encode(ResumeDataHead(request: held))
        let task = session.downloadTask(withResumeData: data, renewing: ["Authorization": "Bearer new"])
        let create = try #require(service.wait(for: CreateTask.method).last).read(CreateTask.self)
        #expect(create.renewing == [HeaderField("Authorization", "Bearer new")])
        #expect(
            task.originalRequest?.allHTTPHeaderFields == ["Authorization": "Bearer new", "X-Kept": "1"])
        _ = session.downloadTask(withResumeData: data)
        let plain = try #require(service.wait(for: CreateTask.method, 2).last).read(CreateTask.self)
        #expect(plain.renewing == nil)
    }

    @Test func resumeDataThatIsNoneFailsWhenResumed() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.downloadTask(withResumeData: Data("garbage".utf8)).resume()
        #expect(recorder.wait(for: "complete").last == "complete 1 -1")
    }
}
