// Reads every member of every task of a session, as a fresh process would to draw its list.
import BackgroundURLSession
import Foundation

struct Listing {
    let session: URLSession

    func run() throws -> Int {
        let box = TaskBox()
        session.getAllTasks { tasks in box.fill(tasks) }
        let tasks = box.wait()
        var seen = 0
        for task in tasks {
            let words = [
                task.originalRequest?.url?.absoluteString, task.currentRequest?.url?.absoluteString,
                task.originalRequest?.httpMethod, task.response?.mimeType, task.taskDescription,
                task.error.map { "\($0)" },
            ]
            let numbers = [
                task.countOfBytesReceived, task.countOfBytesExpectedToReceive, task.countOfBytesSent,
                task.countOfBytesExpectedToSend, task.countOfBytesClientExpectsToSend,
                task.countOfBytesClientExpectsToReceive, Int64(task.taskIdentifier),
                Int64(task.state.rawValue),
            ]
            if words[0] != nil, numbers[6] > 0, task.priority > 0, task.earliestBeginDate == nil { seen += 1 }
        }
        return seen
    }
}

/// The list, once it has come.
private final class TaskBox: @unchecked Sendable {
    // Unchecked: the semaphore orders its one writer before its one reader.
    private var tasks: [URLSessionTask] = []
    private let filled = DispatchSemaphore(value: 0)

    func fill(_ tasks: [URLSessionTask]) {
        self.tasks = tasks
        filled.signal()
    }

    func wait() -> [URLSessionTask] {
        filled.wait()
        return tasks
    }
}
