// Asking first, the way that works on every platform: it sees only what runs, so that a transfer that has ended
// since, or whose result waits, is begun again. `DownloadService.enqueueMissing` has the service decide.

import BackgroundURLSession
import Foundation

public enum AskThenQueue {
    /// Makes and resumes a download, unless a task of that description is in `allTasks`.
    /// - Returns: nil when there was one.
    public static func enqueue(
        _ request: URLRequest, description: String, in session: URLSession
    ) async -> URLSessionDownloadTask? {
        guard await !session.allTasks.contains(where: { $0.taskDescription == description }) else {
            return nil
        }
        let task = session.downloadTask(with: request)
        task.taskDescription = description
        task.resume()
        return task
    }
}
