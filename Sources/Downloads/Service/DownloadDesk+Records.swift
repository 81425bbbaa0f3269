// The desk's records: what is written down before a transfer begins, at a pause, and when all is over.

import BackgroundURLSession
import Foundation

extension DownloadDesk {
    /// What would keep the file from being put in place, as far as it can be known before a byte is fetched.
    func destinationProblem(_ request: DownloadRequest) -> PlacementError? {
        guard let folder = request.folder else { return nil }
        let name = request.wish(session: book.session).likelyName
        do throws(PlacementError) {
            try FilePlacement.checkDestination(folder + "/" + name, replace: request.replaces)
            return nil
        } catch {
            return error
        }
    }

    /// Writes down what a transfer is for. One name is one wish, and one destination too.
    func claim(_ wish: Wish, as request: DownloadRequest) throws(WishStoreError) {
        let claim = try book.store.claim(wish) { other in
            other.resumeData != nil
                || (other.isClosed != true && (other.session != wish.session || other.tasks != nil))
        }
        if case .exists(let recorded) = claim, DownloadRequest(recorded) != request {
            throw .differentAddress(existing: recorded)
        }
    }

    /// A background session's next process goes on from there; another session's bytes die with it.
    func keep(_ request: DownloadRequest, _ data: Data) {
        guard !isProcessBound else { return }
        book.attempt { () throws(WishStoreError) in
            let kept = try book.store.update(session: book.session, name: request.name) {
                $0.resumeData = data
                $0.isClosed = nil
            }
            guard kept == nil else { return }
            var wish = request.wish(session: book.session)
            wish.resumeData = data
            try book.store.save(wish)
        }
    }

    func forgetResumeData(_ name: String) {
        guard !isProcessBound else { return }
        book.forgetResumeData(name)
    }

    /// Records that have their outcome go when the service has every acknowledgement.
    /// - Parameter names: of wishes whose last events have been acknowledged.
    func sweep(closed names: Set<String>) {
        session.flush { [weak self] in
            guard let self else { return }
            self.queue.async { self.book.sweep(closed: names) }
        }
    }
}
