// Takes resume data from one process to another, and from one kind of session to another.
//
//     resume-courier ADDRESS FOLDER pause KIND    KIND: background, default or ephemeral
//     resume-courier ADDRESS FOLDER go-on KIND    FOLDER holds the resume data meanwhile
//     resume-courier ADDRESS FOLDER stay KIND     downloads until it is killed
import BackgroundURLSession
import Foundation

final class Courier: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    private let address: URL
    private let kept: URL
    private var session: URLSession!

    init(address: URL, folder: URL, kind: String) {
        self.address = address
        kept = folder.appendingPathComponent("resume-data")
        super.init()
        let configuration: URLSessionConfiguration =
            switch kind {
            case "default": .default
            case "ephemeral": .ephemeral
            default: .background(withIdentifier: "com.example.courier")
            }
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    func begin(_ mode: String) throws {
        if mode == "go-on" {
            return session.downloadTask(withResumeData: try Data(contentsOf: kept)).resume()
        }
        session.downloadTask(with: address).resume()
        print("began")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard CommandLine.arguments[3] == "pause", totalBytesWritten >= 200_000 else { return }
        downloadTask.cancel { data in
            try? data?.write(to: self.kept)
            print(data == nil ? "no resume data" : "paused")
            exit(0)
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        print("resumed at \(fileOffset) of \(expectedTotalBytes)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let place = kept.deletingLastPathComponent().appendingPathComponent("file")
        try? FileManager.default.moveItem(at: location, to: place)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if (error as? URLError)?.code == .cancelled { return }
        print("completed \(error.map { "\($0)" } ?? "nil")")
        exit(0)
    }
}

setlinebuf(stdout)
let arguments = CommandLine.arguments
guard let address = URL(string: arguments[1]) else { exit(64) }
let courier = Courier(address: address, folder: URL(fileURLWithPath: arguments[2]), kind: arguments[4])
try courier.begin(arguments[3])
RunLoop.main.run()
