// A challenge in Foundation's words. Pure, but for the object that answers.
import Foundation
import FoundationNetworking
import TransferProtocol

extension ChallengeRecord {
    var protectionSpace: URLProtectionSpace {
        guard isProxy else {
            return URLProtectionSpace(
                host: host, port: port, protocol: transport, realm: realm, authenticationMethod: method)
        }
        return URLProtectionSpace(
            proxyHost: host, port: port, type: transport, realm: realm, authenticationMethod: method)
    }

    private var method: String {
        switch scheme {
        case "basic": NSURLAuthenticationMethodHTTPBasic
        case "digest": NSURLAuthenticationMethodHTTPDigest
        case "ntlm": NSURLAuthenticationMethodNTLM
        default: NSURLAuthenticationMethodDefault
        }
    }

    /// Apple's split: these go to the session's delegate method, all others to the task's, and neither stands
    /// in for the other.
    var isSessionLevel: Bool { scheme == "ntlm" }

    func challenge(proposing credential: URLCredential?, _ sender: ChallengeSender)
        -> URLAuthenticationChallenge
    {
        URLAuthenticationChallenge(
            protectionSpace: protectionSpace, proposedCredential: credential, previousFailureCount: failures,
            failureResponse: response.flatMap { HTTPURLResponse($0) }, error: nil, sender: sender)
    }
}

/// The old way to answer a challenge, which still answers it; whoever answers first is heard.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
    // Unchecked: `answer` is called at most once, and is itself safe on any thread.
    private let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    init(_ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {
        self.answer = answer
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        answer(.useCredential, credential)
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        answer(.useCredential, nil)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) { answer(.cancelAuthenticationChallenge, nil) }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        answer(.performDefaultHandling, nil)
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        answer(.rejectProtectionSpace, nil)
    }
}
