// Judges a file that has arrived and puts it where its wish says, once: a process may die at any point of this,
// and the next one that gets the same file ends where this one would have. It blocks; call it inside
// `didFinishDownloadingTo`, on whose return the file is gone.

import BackgroundURLSession
import Foundation
import Glibc

public struct FileSettler: Sendable {
    private let book: WishBook
    /// Whether bytes without a destination are wanted all the same.
    private let holdsArrivals: Bool

    public init(book: WishBook, holdsArrivals: Bool = false) {
        self.book = book
        self.holdsArrivals = holdsArrivals
    }

    /// - Parameter file: what `didFinishDownloadingTo` was given.
    public func settle(_ file: String, of task: URLSessionTask) -> Settlement {
        do {
            // An error's page is never a file, whether or not somebody knows what the file was for.
            if let problem = Self.check(task, nil).answerProblem { return .rejected(problem, keptAt: nil) }
            guard let wish = try book.wish(named: task.taskDescription) else {
                return .stuck(.noInstructions)
            }
            if let problem = try Self.check(task, wish).problem(ofFile: file) {
                return try reject(file, problem, wish, task)
            }
            guard let folder = wish.destinationFolder else { return try hold(file, wish, task) }
            return .placed(try put(file, at: folder + "/" + Self.name(wish, task), wish))
        } catch {
            return .stuck(Self.fileSystem(error))
        }
    }

    /// What an earlier process made of a file whose last word comes to this one: the file went with that one's
    /// acknowledgement.
    public func recall(_ task: URLSessionTask) -> Settlement {
        do {
            if let problem = Self.check(task, nil).answerProblem { return .rejected(problem, keptAt: nil) }
            guard let wish = try book.wish(named: task.taskDescription) else {
                return .stuck(.noInstructions)
            }
            if let why = wish.rejection {
                let aside = asidePath(wish, task)
                let isThere = FileIdentity(path: aside) != nil
                return .rejected(.unexpectedResponse(why), keptAt: isThere ? aside : nil)
            }
            if wish.isPlaced, let place = wish.place { return .placed(place) }
            let held = arrivalPath(wish, task)
            if wish.destinationFolder == nil, FileIdentity(path: held) != nil { return .arrived(held) }
            if wish.destinationFolder == nil, !holdsArrivals { return .unwanted }
            return .rejected(.unexpectedResponse("its file is gone"), keptAt: nil)
        } catch {
            return .stuck(Self.fileSystem(error))
        }
    }

    private static func fileSystem(_ error: any Error) -> DownloadError {
        .fileSystem(error as (any Error & Sendable))
    }

    // MARK: Judging

    private static func check(_ task: URLSessionTask, _ wish: Wish?) -> DownloadCheck {
        DownloadCheck(
            response: task.response,
            asksRange: task.originalRequest?.value(forHTTPHeaderField: "Range") != nil,
            expected: task.countOfBytesExpectedToReceive, length: wish?.length, sha256: wish?.sha256)
    }

    private func reject(
        _ file: String, _ problem: DownloadError, _ wish: Wish, _ task: URLSessionTask
    ) throws -> Settlement {
        var keptAt: String?
        try note(wish) { $0.rejection = problem.description }
        if wish.keepsRejected == true {
            let aside = asidePath(wish, task)
            try Self.makeFolder(book.store.asideFolder)
            try FilePlacement.place(file, at: aside, replace: true)
            keptAt = aside
        }
        return .rejected(problem, keptAt: keptAt)
    }

    // MARK: Placing

    private static func name(_ wish: Wish, _ task: URLSessionTask) -> String {
        if let name = wish.destinationName { return name }
        let response = task.response as? HTTPURLResponse
        return SuggestedFilename(
            contentDisposition: response?.value(forHTTPHeaderField: "Content-Disposition"),
            address: task.originalRequest?.url
        ).name
    }

    private func put(_ file: String, at path: String, _ wish: Wish) throws -> String {
        if try isPlaced(wish, at: path) { return path }
        do {
            try FilePlacement.place(file, at: path, replace: wish.replace) { identity in
                try note(wish) {
                    $0.placing = identity
                    $0.place = path
                }
            }
        } catch let error as PlacementError {
            // Another process that had the same event before its service died may have been faster.
            guard try isPlaced(wish, at: path) else { throw error }
        }
        return path
    }

    /// Whether this wish's file is there: a process may have died, or lost its service, between placing the
    /// file and saying so.
    private func isPlaced(_ wish: Wish, at path: String) throws -> Bool {
        guard let placing = try book.wish(named: wish.name)?.placing else { return false }
        return placing == FileIdentity(path: path)
    }

    private func note(_ wish: Wish, _ change: (inout Wish) -> Void) throws(WishStoreError) {
        try book.store.update(session: wish.session, name: wish.name, change)
    }

    // MARK: Without a destination

    private func hold(_ file: String, _ wish: Wish, _ task: URLSessionTask) throws -> Settlement {
        guard holdsArrivals else { return .unwanted }
        let path = arrivalPath(wish, task)
        try Self.makeFolder(book.store.arrivalsFolder)
        // The same bytes again, if it is there already.
        try FilePlacement.place(file, at: path, replace: true)
        return .arrived(path)
    }

    private func asidePath(_ wish: Wish, _ task: URLSessionTask) -> String {
        "\(book.store.asideFolder)/\(Self.short(wish).prefix(8))-\(task.taskIdentifier)-"
            + (SafeFilename(wish.likelyName)?.name.suffix(120).description ?? "file")
    }

    private func arrivalPath(_ wish: Wish, _ task: URLSessionTask) -> String {
        "\(book.store.arrivalsFolder)/\(Self.short(wish))-\(task.taskIdentifier)"
    }

    /// Of a session and a name, which may hold anything; like the wish's record.
    private static func short(_ wish: Wish) -> String {
        (try? WishStore.key(wish.session, wish.name)) ?? "wish"
    }

    private static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw PlacementError(SystemFailure("make the folder \(path)"), writing: path)
        }
    }
}
