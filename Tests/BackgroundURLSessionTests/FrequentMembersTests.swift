// The members that ten public repositories or more use on background sessions: each once in type position,
// so that its type is Apple's to the letter, and once in a call, so that it does something.
import BackgroundURLSession
import Foundation
import Testing
import TransferProtocol

@Suite struct FrequentMembersTests {
    let url = URL(string: "http://127.0.0.1:1/file")

    @Test func aConfigurationsMembersReachTheService() throws {
        let make: (String) -> URLSessionConfiguration = URLSessionConfiguration.background(withIdentifier:)
        let name: KeyPath<URLSessionConfiguration, String?> = \.identifier
        let flags: [ReferenceWritableKeyPath<URLSessionConfiguration, Bool>] = [
            \.isDiscretionary, \.allowsCellularAccess, \.sessionSendsLaunchEvents,
        ]
        let limit: ReferenceWritableKeyPath<URLSessionConfiguration, Int> = \.httpMaximumConnectionsPerHost
        let container: ReferenceWritableKeyPath<URLSessionConfiguration, String?> =
            \.sharedContainerIdentifier
        #expect(make("com.example")[keyPath: name] == "com.example")

        let service = try FakeService()
        let configuration = service.configuration("night")
        for flag in flags { configuration[keyPath: flag].toggle() }
        configuration[keyPath: limit] = 2
        configuration[keyPath: container] = "group.example"
        let session = URLSession(configuration: configuration)
        let hello = try #require(service.wait(for: Hello.method).first).read(Hello.self)
        #expect(hello.client == "group.example")
        let attach = try #require(service.wait(for: AttachSession.method).first).read(AttachSession.self)
        #expect(attach.identifier == "night")
        #expect(attach.configuration.isDiscretionary)
        #expect(!attach.configuration.allowsCellularAccess)
        #expect(!attach.configuration.sendsLaunchEvents)
        #expect(attach.configuration.maximumConnectionsPerHost == 2)
        session.invalidateAndCancel()
    }

    @Test func aSessionMakesAndListsTasksAndEndsThem() throws {
        let make: (URLSessionConfiguration, (any URLSessionDelegate)?, OperationQueue?) -> URLSession =
            URLSession.init(configuration:delegate:delegateQueue:)
        let download: (URLSession) -> (URL) -> URLSessionDownloadTask = URLSession.downloadTask(with:)
        let request: (URLSession) -> (URLRequest) -> URLSessionDownloadTask = URLSession.downloadTask(with:)
        let again: (URLSession) -> (Data) -> URLSessionDownloadTask =
            URLSession.downloadTask(withResumeData:)
        let upload: (URLSession) -> (URLRequest, URL) -> URLSessionUploadTask =
            URLSession.uploadTask(with:fromFile:)
        let list: (URLSession) -> (@escaping @Sendable ([URLSessionTask]) -> Void) -> Void =
            URLSession.getAllTasks(completionHandler:)
        let end: (URLSession) -> () -> Void = URLSession.invalidateAndCancel

        let service = try FakeService()
        service.answer(ListTasks.method) { _ in
            .result(ListTasks.Result(tasks: [.fake(1), .fake(4, .upload)], next: nil))
        }
        let recorder = Recorder()
        let session = make(service.configuration(), recorder, OperationQueue())
        let url = try #require(url)
        let held = try JSONEncoder().encode(ResumeDataHead(request: RequestRecord(url: url.absoluteString)))
        let source = URL(fileURLWithPath: service.home.folder + "/source")
        try Data("four".utf8).write(to: source)
        let tasks: [URLSessionTask] = [
            download(session)(url), request(session)(URLRequest(url: url)), again(session)(held),
            upload(session)(URLRequest(url: url), source),
        ]
        #expect(tasks.map(\.taskIdentifier) == [1, 2, 3, 4])
        #expect(service.wait(for: CreateTask.method, 4).count == 4)

        list(session)({ found in recorder.note("listed \(found.map(\.taskIdentifier).sorted())") })
        #expect(recorder.wait(for: "listed").contains("listed [1, 4]"))
        end(session)()
        #expect(service.wait(for: CancelTask.method).isEmpty == false)
    }

    @Test func aTaskIsCommandedAndSaysWhatItIs() throws {
        let commands: [(URLSessionTask) -> () -> Void] = [URLSessionTask.resume, URLSessionTask.cancel]
        let description: ReferenceWritableKeyPath<URLSessionTask, String?> = \.taskDescription
        let identifier: KeyPath<URLSessionTask, Int> = \.taskIdentifier
        let request: KeyPath<URLSessionTask, URLRequest?> = \.originalRequest
        let response: KeyPath<URLSessionTask, URLResponse?> = \.response

        let service = try FakeService()
        let session = URLSession(configuration: service.configuration())
        let task: URLSessionTask = session.downloadTask(with: try #require(url))
        task[keyPath: description] = "audiobook-42"
        for command in commands { command(task)() }
        #expect(service.wait(for: ResumeTask.method).count == 1)
        #expect(service.wait(for: CancelTask.method).count == 1)
        let update = try #require(service.wait(for: UpdateTask.method).first).read(UpdateTask.self)
        #expect(update.description == "audiobook-42")
        #expect(task[keyPath: identifier] == 1)
        #expect(task[keyPath: request]?.url == url)
        #expect(task[keyPath: response] == nil)
        #expect(task is URLSessionDownloadTask)
        #expect(!(task is URLSessionDataTask))
        let uploads: URLSessionDataTask.Type = URLSessionUploadTask.self
        #expect(uploads == URLSessionUploadTask.self)
    }

    @Test func everyDelegateMethodIsCalledWithWhatTheServiceSays() throws {
        typealias Delegate = URLSessionDownloadDelegate & URLSessionDataDelegate
        let service = try FakeService()
        let recorder = Recorder()
        let delegate: any Delegate = recorder
        let session = URLSession(
            configuration: service.configuration(), delegate: delegate, delegateQueue: nil)
        _ = service.wait(for: ListTasks.method)
        let path = try service.handOver("file", Data("0123456789".utf8))
        let answer = try service.handOver("answer", Data("ok".utf8))
        var download = TaskSnapshot.fake(1, .download, .finished, received: 10, expected: 10)
        download.response = ResponseRecord(url: "http://127.0.0.1:1/file", status: 206)
        var upload = TaskSnapshot.fake(2, .upload, .finished)
        upload.sent = 5
        upload.expectedToSend = 5
        let status = Box()
        recorder.onComplete = { task, _ in
            if task.taskIdentifier == 1 { status.value = (task.response as? HTTPURLResponse)?.statusCode }
        }
        // Counters are news only beyond what the task's object began with.
        for task in [TaskSnapshot.fake(1), .fake(2, .upload)] { try service.tell(ReportTask(task: task)) }
        try service.event(1, .downloaded(path: path, bytes: 10), download)
        try service.event(2, .completed(error: nil), download)
        try service.event(3, .answered(path: answer, bytes: 2), upload)
        try service.event(4, .completed(error: nil), upload)
        try service.tell(EventsFinished())
        #expect(
            recorder.wait(for: "events finished") == [
                "wrote 1 10 10 10", "file 1", "complete 1 nil",  // didWriteData, didFinish…, didComplete…
                "sent 2 5 5 5", "data 2 2", "complete 2 nil",  // didSendBodyData, didReceive data
                "events finished",
            ])
        #expect(status.value == 206)
        session.invalidateAndCancel()
    }

    private final class Box: @unchecked Sendable { var value: Int? }
}
