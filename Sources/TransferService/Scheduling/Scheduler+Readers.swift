// Tasks whose answers are read as they come last as long as their readers.
import TransferStore

extension Scheduler {
    /// Ends the tasks of a session whose answers nobody is there to read any more.
    /// - Returns: whether somebody still reads others.
    @discardableResult
    func endReaderless(session: Int64) throws(StoreError) -> Bool {
        var hasReaders = false
        for task in try store.tasksWithPipe(session: session) {
            if bodies.hasReader(task) {
                hasReaders = true
            } else {
                try perform(.readerLeft, key: task.key)
            }
        }
        return hasReaders
    }

    /// The owner's connection has ended. The files of a process that is killed are closed one after another:
    /// its pipes may be there for a moment longer, and nobody says when they are not. So they are looked at
    /// again, more and more rarely, for as long as anybody reads.
    func ownerLeft(session: Int64) throws(StoreError) {
        guard try endReaderless(session: session), watchedReaders.insert(session).inserted else { return }
        lookAtReaders(session, after: 0.1)
    }

    private func lookAtReaders(_ session: Int64, after delay: Double) {
        time.ring(after: delay) { [weak self] in
            guard let self else { return }
            do throws(StoreError) {
                if try self.endReaderless(session: session) {
                    return self.lookAtReaders(session, after: min(delay * 2, 5))
                }
            } catch {
                self.couldNot("end what nobody reads any more", error)
                return self.lookAtReaders(session, after: min(delay * 2, 5))
            }
            self.watchedReaders.remove(session)
        }
    }
}
