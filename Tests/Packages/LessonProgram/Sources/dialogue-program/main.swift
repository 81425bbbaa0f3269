// Asks for what its arguments name and says what its delegate hears. Written for Apple's platforms, but for
// the import and the members that are set from TRUST, PINS, IDENTITY and LAUNCH.
//
//     dialogue-program queue|own|default|ephemeral ADDRESS…     one after another
//
// queue: leaves at once when everything is asked for; default, ephemeral: in sessions of this process.
//
// PASSWORDS: what to answer to challenges, one after another; "default", "cancel" and "reject" are themselves.
import BackgroundURLSession
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let environment = ProcessInfo.processInfo.environment

func say(_ line: String) {
    print(line)
    fflush(nil)
}

final class Delegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
    // Unchecked: used on the delegate queue only.
    var passwords = (environment["PASSWORDS"] ?? "").split(separator: " ").map(String.init)
    var left = 0

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        let method = space.authenticationMethod.replacingOccurrences(
            of: "NSURLAuthenticationMethodHTTP", with: "")
        say(
            "challenge \(method) \(space.host) realm=\(space.realm ?? "-") "
                + "failures=\(challenge.previousFailureCount) proxy=\(space.isProxy())")
        switch passwords.isEmpty ? "default" : passwords.removeFirst() {
        case "default": completionHandler(.performDefaultHandling, nil)
        case "cancel": completionHandler(.cancelAuthenticationChallenge, nil)
        case "reject": completionHandler(.rejectProtectionSpace, nil)
        case let password:
            completionHandler(
                .useCredential, URLCredential(user: "me", password: password, persistence: .forSession))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        say("redirect \(response.statusCode) \(request.url?.path ?? "-")")
        completionHandler(environment["REDIRECT"] == "deliver" ? nil : request)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let text = (try? String(contentsOf: location, encoding: .utf8)) ?? "?"
        say("file \(text.trimmingCharacters(in: .whitespacesAndNewlines))")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard environment["DATA"] != nil else { return }
        say("data \(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let statuses = metrics.transactionMetrics.map {
            ($0.response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? "-"
        }
        say("metrics \(statuses.joined(separator: " "))")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        say("complete \(error.map { "\(($0 as NSError).code)" } ?? "nil")")
        left -= 1
        if left <= 0 { return session.finishTasksAndInvalidate() }
        next()
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { say("events finished") }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) { exit(0) }
}

let purpose = arguments.first ?? "own"
let configuration: URLSessionConfiguration
switch purpose {
case "default": configuration = .default
case "ephemeral": configuration = .ephemeral
default: configuration = .background(withIdentifier: "dialogue")
}
if environment["COOKIES"] == "none" { configuration.httpCookieStorage = nil }
if environment["COOKIES"] == "unsent" { configuration.httpShouldSetCookies = false }
if let path = environment["TRUST"] { configuration.additionalCertificates = URL(fileURLWithPath: path) }
if let pins = environment["PINS"] { configuration.pinnedPublicKeys = [pins] }
if let path = environment["IDENTITY"] {
    configuration.clientIdentity = ClientIdentity(certificate: URL(fileURLWithPath: path))
}
if environment["LAUNCH"] != nil {
    configuration.launchCommand = .thisProgram(["own"], environment: ["PASSWORDS"])
}
let delegate = Delegate()
delegate.left = arguments.count - 1
let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
let done = DispatchSemaphore(value: 0)
if environment["RESET"] != nil {
    session.reset { done.signal() }
    done.wait()
}
session.getAllTasks { tasks in
    say("found \(tasks.count)")
    delegate.left += tasks.count
    done.signal()
}
done.wait()

nonisolated(unsafe) var addresses = Array(arguments.dropFirst())

/// Asks for what is next; a process-bound session's as data, which goes another way than a file.
func next() {
    guard !addresses.isEmpty, let url = URL(string: addresses.removeFirst()) else { return }
    if let file = environment["FILE"] {
        session.uploadTask(with: URLRequest(url: url), fromFile: URL(fileURLWithPath: file)).resume()
    } else if environment["DATA"] != nil {
        session.dataTask(with: url).resume()
    } else {
        session.downloadTask(with: url).resume()
    }
}

if purpose == "queue" {
    while !addresses.isEmpty { next() }
    exit(0)
}
next()
dispatchMain()
