// Puts a finished download where its wish says, once, and closes the wish's record with the task's end. Called
// on the delegate queue only.
import BackgroundURLSession
import Downloads
import Foundation

struct WishPlacer {
    enum Outcome: Equatable {
        case saved(String)
        /// It arrived; why it was not put in place, and what to do.
        case kept(String)
        /// Nobody asked for a file.
        case unwanted
    }

    let book: WishBook

    func place(_ file: String, of task: URLSessionTask) -> Outcome {
        do {
            guard let wish = try wish(of: task) else {
                return .kept(
                    "nobody has written down where it belongs; the service keeps it until 'bgtool cancel "
                        + "\(task.taskIdentifier) --discard'")
            }
            guard let folder = wish.destinationFolder else { return .unwanted }
            if let problem = try digestProblem(file, wish, task) { return .kept(problem) }
            return try put(file, at: folder + "/" + name(wish, task), wish)
        } catch let error as PlacementError {
            return .kept(Self.words(error, task))
        } catch {
            return .kept("\(error)")
        }
    }

    /// The task has had its last word. What was kept will come again.
    func close(_ task: URLSessionTask, _ error: (any Error)?) {
        guard !task.isKeptUndelivered, let name = task.taskDescription else { return }
        let error = error as NSError?
        // Whoever paused it has the resume data already, and may have used it.
        let resumeData =
            error?.code == NSURLErrorCancelled
            ? nil : error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
        book.close(name, task: task.taskIdentifier, resumeData: resumeData)
    }

    private func wish(of task: URLSessionTask) throws -> Wish? {
        guard let name = task.taskDescription else { return nil }
        return try book.store.wish(session: book.session, name: name)
    }

    private func name(_ wish: Wish, _ task: URLSessionTask) -> String {
        if let name = wish.destinationName { return name }
        let response = task.response as? HTTPURLResponse
        return SuggestedFilename(
            contentDisposition: response?.value(forHTTPHeaderField: "Content-Disposition"),
            address: task.originalRequest?.url
        ).name
    }

    private func digestProblem(_ file: String, _ wish: Wish, _ task: URLSessionTask) throws -> String? {
        guard let promised = wish.sha256 else { return nil }
        let actual = try FileDigest.sha256(ofFile: file)
        guard actual != promised else { return nil }
        return "its SHA-256 is \(actual) and not \(promised); the service keeps it until 'bgtool cancel "
            + "\(task.taskIdentifier) --discard'"
    }

    private func put(_ file: String, at path: String, _ wish: Wish) throws -> Outcome {
        if try isPlaced(wish, at: path) { return .saved(path) }
        do {
            try FilePlacement.place(file, at: path, replace: wish.replace) { identity in
                try book.store.update(session: wish.session, name: wish.name) { $0.placing = identity }
            }
        } catch let error as PlacementError {
            // Another process that had the same event before its service died may have been faster.
            guard try isPlaced(wish, at: path) else { throw error }
        }
        return .saved(path)
    }

    /// Whether this wish's file is there: a process may have died, or lost its service, between placing the
    /// file and saying so.
    private func isPlaced(_ wish: Wish, at path: String) throws -> Bool {
        guard let placing = try book.store.wish(session: wish.session, name: wish.name)?.placing else {
            return false
        }
        return placing == FileIdentity(path: path)
    }

    private static func words(_ error: PlacementError, _ task: URLSessionTask) -> String {
        if case .destinationExists(let path) = error {
            return
                "\(path) exists already; the service keeps what arrived. Move that file away, or say 'bgtool "
                + "start' again with -o or --force, then 'bgtool resume'"
        }
        return "\(error) The service keeps what arrived for the next 'bgtool resume'."
    }
}
