// An app that is woken and deals with it in the form that FORM names:
//
//     async        the handler that has dealt with everything when it returns
//     elsewhere    the completion handler is called on another thread than the main one: a fault
//     twice        it is called twice, and a second handler is registered: faults too
//
//     launch-forms ADDRESS
import BackgroundURLSession
import Foundation

let form = ProcessInfo.processInfo.environment["FORM"] ?? "async"

func say(_ line: String) {
    print(line)
    fflush(nil)
}

final class Listener: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: `ended` is called once, from the delegate queue.
    var ended: @Sendable () -> Void = {}

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        say("finished \(downloadTask.countOfBytesReceived)")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { ended() }
}

let listener = Listener()

func makeSession() -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.forms.\(form)")
    configuration.launchCommand = .thisProgram(environment: ["FORM"])
    return URLSession(configuration: configuration, delegate: listener, delegateQueue: nil)
}

switch form {
case "async":
    BackgroundLaunch.onEvents { identifier in
        await withCheckedContinuation { done in
            listener.ended = { done.resume() }
            _ = makeSession()
        }
        say("dealt with \(identifier)")
    }
case "elsewhere":
    BackgroundLaunch.onEvents { _, completion in
        listener.ended = { completion() }
        _ = makeSession()
    }
default:
    BackgroundLaunch.onEvents { _, completion in
        listener.ended = {
            DispatchQueue.main.async {
                completion()
                completion()
            }
        }
        _ = makeSession()
    }
    BackgroundLaunch.onEvents { _ in say("never said") }
}
if BackgroundLaunch.runVisit() { exit(0) }

guard let address = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else {
    print("usage: launch-forms ADDRESS")
    exit(64)
}
makeSession().downloadTask(with: address).resume()
