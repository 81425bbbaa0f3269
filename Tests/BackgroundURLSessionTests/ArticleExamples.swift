// The code of the documentation's articles, so that it compiles: Scripts/check-examples compares both.
import BackgroundURLSession
import Foundation

private final class Library: NSObject, URLSessionDownloadDelegate {
    let shelf = URL(fileURLWithPath: "/nonexistent")

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let answer = downloadTask.response as? HTTPURLResponse, answer.statusCode == 200 else { return }
        let name = downloadTask.taskDescription ?? location.lastPathComponent
        try? FileManager.default.moveItem(at: location, to: shelf.appendingPathComponent(name))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.previousFailureCount == 0 else { return (.cancelAuthenticationChallenge, nil) }
        return (.useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let resumeData = (error as? URLError)?.downloadTaskResumeData {
            session.downloadTask(withResumeData: resumeData).resume()
        }
    }
}

private func begin(_ address: URL) {
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.library")
    let session = URLSession(configuration: configuration, delegate: Library(), delegateQueue: nil)
    let task = session.downloadTask(with: address)
    task.taskDescription = "audiobook-42"
    task.resume()
}

private func relaunch(_ configuration: URLSessionConfiguration, _ library: Library) async {
    let session = URLSession(configuration: configuration, delegate: library, delegateQueue: nil)
    let tasks = await session.allTasks
    for task in tasks where task.taskDescription == "audiobook-42" {
        print(task.countOfBytesReceived, "of", task.countOfBytesExpectedToReceive)
    }
}

private func trust() {
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.library")
    configuration.pinnedPublicKeys = ["sha256//r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]
    configuration.additionalCertificates = URL(fileURLWithPath: "/etc/example/authority.pem")
    configuration.clientIdentity = ClientIdentity(certificate: URL(fileURLWithPath: "/etc/example/me.p12"))
}
