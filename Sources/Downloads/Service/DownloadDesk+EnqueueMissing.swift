// Asking first. All of one call is asked on the desk's queue, which waits for the service's word: until it is
// there nothing else of this process can begin the same wish.

import BackgroundURLSession
import Foundation

extension DownloadDesk {
    func enqueueMissing(
        _ files: [DownloadRequest], _ done: @escaping @Sendable (Result<[String], any Error>) -> Void
    ) {
        whenOpen { [self] in
            let answers = Answers()
            for request in files { ask(request, answers) }
            answers.wait()
            for (request, task) in answers.queued {
                book.open(request.name, task: task.taskIdentifier)
                forgetResumeData(request.name)
                takeOn(task, request)
            }
            done(answers.failure.map { .failure($0) } ?? .success(answers.queued.map(\.0.name)))
        }
    }

    private func ask(_ request: DownloadRequest, _ answers: Answers) {
        do throws(WishStoreError) {
            if isServed(request) { return }
            // The session is this process's: nobody else puts its files in place meanwhile.
            if let wish = try book.wish(named: request.name), wish.isPlaced { return }
            if let problem = destinationProblem(request) { return answers.note(problem) }
            var wish = request.wish(session: book.session)
            wish.remembersPlace = true
            try claim(wish, as: request)
            try book.store.update(session: book.session, name: request.name) { $0.remembersPlace = true }
        } catch {
            return answers.note(error)
        }
        answers.expect()
        session.enqueueMissing(request.urlRequest, description: request.name, resumeData: held(request)) {
            switch $0 {
            case .success(.queued(let task)): answers.note(request, task)
            case .success(.exists): break
            case .failure(let error): answers.note(error)
            }
            answers.arrived()
        }
    }
}

/// What the service said to the questions of one call.
private final class Answers: @unchecked Sendable {
    // Unchecked: guarded by `lock`, and read when all have arrived.
    private let lock = NSLock()
    private let group = DispatchGroup()
    private(set) var queued: [(DownloadRequest, URLSessionDownloadTask)] = []
    private(set) var failure: (any Error)?

    func expect() { group.enter() }
    func arrived() { group.leave() }
    func wait() { group.wait() }

    func note(_ request: DownloadRequest, _ task: URLSessionDownloadTask) {
        lock.withLock { queued.append((request, task)) }
    }

    func note(_ error: any Error) { lock.withLock { failure = failure ?? error } }
}
