// What is being asked of sessions' owners, and the passwords they gave: in memory only, so that a service
// that begins anew asks again. It decides what an answer means; the machine decides what becomes of the
// task. Lives with the scheduler.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

/// What an attempt goes out with besides the task's own request.
struct AttemptExtras {
    var credential: EngineCredential?
    var proxyCredential: EngineCredential?
    /// Asked in place of the task's request, with nothing of the session's added.
    var instead: RequestRecord?
    var sendsBody = true
    /// A 401 is a question, not yet an answer.
    var asksForPasswords = false
    var followsRedirects = true
    var asksAboutRedirects = false

    /// A body that goes to a pipe would be with its reader before the owner has spoken.
    func asks(_ task: TaskRecord) -> AskRule {
        AskRule(
            passwords: asksForPasswords, redirects: asksAboutRedirects,
            canHold: task.pipe == nil)
    }
}

@TransferActor
struct Dialogues {
    /// As many as libcurl follows.
    static let mostRedirects = 20

    private var talks: [Int64: Talk] = [:]
    private var passwords: [Space: Password] = [:]
    /// Numbers go up from the time of day, so that no later service gives one again.
    private var lastNumber = Int64(Date().timeIntervalSince1970 * 1000)

    /// What is known of one task's questions.
    private struct Talk {
        var number: Int64?
        var question: TaskQuestion?
        var space: Space?
        /// The answer that asks, where it is kept in memory.
        var held: HeldAnswer?
        /// Ways that were not rejected yet.
        var offers: [AuthenticationOffer] = []
        var failures = 0
        var password: Password?
        var proxyPassword: Password?
        /// The owner wants the answer as it is.
        var isSettled = false
        var redirects = 0
        var proposal: EngineRedirect?
        var instead: RequestRecord?
        var sendsBody = true
    }

    private struct Space: Hashable {
        var session: Int64
        var isProxy: Bool
        var transport: String
        var host: String
        var port: Int
        var realm: String?
    }

    private struct Password: Equatable {
        var space: Space
        /// The folder of the address that asked: what lies in it is asked for with the password at once
        /// (RFC 7617 §2.2).
        var folder: String
        var credential: EngineCredential
    }

    // MARK: An attempt begins

    func extras(_ task: TaskRecord, _ configuration: SessionConfigurationRecord) -> AttemptExtras {
        let talk = talks[task.key]
        var extras = AttemptExtras()
        extras.instead = talk?.instead
        extras.sendsBody = talk?.sendsBody ?? true
        let isSettled = talk?.isSettled ?? false
        extras.asksForPasswords = !isSettled && configuration.answers?.contains(.challenge) == true
        // Settled, a redirect is an answer like any other, and no question.
        extras.followsRedirects = configuration.answers?.contains(.redirect) != true
        extras.asksAboutRedirects = !extras.followsRedirects && !isSettled
        let place = Place(talk?.instead?.url ?? task.request.url)
        let password = talk?.password ?? place.flatMap { known(at: $0, session: task.session) }
        if let password,
            place?.isIn(password.space.transport, password.space.host, password.space.port) == true
        {
            extras.credential = password.credential
        }
        extras.proxyCredential = talk?.proxyPassword?.credential
        return extras
    }

    private func known(at place: Place, session: Int64) -> Password? {
        // Of folders within each other the inner one knows better.
        passwords.values.filter {
            $0.space.session == session && !$0.space.isProxy && place.path.hasPrefix($0.folder)
                && place.isIn($0.space.transport, $0.space.host, $0.space.port)
        }.max { ($0.folder.count, $0.space.realm ?? "") < ($1.folder.count, $1.space.realm ?? "") }
    }

    // MARK: An attempt ends

    /// What the attempt's end asks; nil when it asks nothing. `used`: what it went out with.
    mutating func consider(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord, _ outcome: EngineOutcome,
        used: EngineCredential?
    ) -> AttemptEnd? {
        var talk = talks[task.key] ?? Talk()
        guard !talk.isSettled, let kinds = configuration.answers, !kinds.isEmpty else { return nil }
        talk.held = HeldAnswer(outcome)
        defer { talks[task.key] = talk }
        // A lost one begins at its own address again: where a redirect led may be good for a while only.
        if outcome.isLost, !kinds.contains(.redirect) {
            talk.instead = nil
            talk.sendsBody = true
        }
        if kinds.contains(.redirect), outcome.failure == nil || outcome.failure?.kind == .refused,
            let next = outcome.redirect
        {
            return propose(next, outcome, &talk, task)
        }
        guard kinds.contains(.challenge), let asked = Asked(outcome, configuration) else { return nil }
        return challenge(asked, outcome, used, &talk, task, configuration)
    }

    private mutating func propose(
        _ next: EngineRedirect, _ outcome: EngineOutcome, _ talk: inout Talk, _ task: TaskRecord
    ) -> AttemptEnd {
        talk.redirects += 1
        guard talk.redirects <= Self.mostRedirects else {
            return .broken(
                ErrorRecord(ErrorCode.tooManyRedirects, "too many redirects", url: task.request.url))
        }
        var request = RequestRecord(
            url: next.url, method: next.method,
            headers: next.headers.map { HeaderField($0.name, $0.value) }, timeout: task.request.timeout)
        request.mainDocument = task.request.mainDocument
        request.handlesCookies = task.request.handlesCookies
        talk.proposal = next
        let response = outcome.head.map(ResponseRecord.init) ?? ResponseRecord(url: next.url, status: 302)
        ask(.redirect(response: response, request: request), &talk)
        return .asks("the session's owner decides about a redirect", .redirect)
    }

    private mutating func challenge(
        _ asked: Asked, _ outcome: EngineOutcome, _ used: EngineCredential?, _ talk: inout Talk,
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord
    ) -> AttemptEnd? {
        let place = asked.place
        let space = Space(
            session: task.session, isProxy: asked.isProxy, transport: place.transport, host: place.host,
            port: place.port, realm: asked.offers[0].realm)
        let tried = asked.isProxy ? talk.proxyPassword?.credential : used.flatMap { isOf(space, $0, talk) }
        if space != talk.space {
            talk.space = space
            talk.offers = asked.offers
            talk.failures = 0
        }
        if let tried {
            // What was not accepted is not used again, by no task.
            if passwords[space]?.credential == tried { passwords[space] = nil }
            talk.failures += 1
        }
        startAtThePlace(asked, outcome, &talk, task, configuration)
        let mine = talk.password?.space == space ? talk.password : nil
        if tried == nil, let known = mine ?? passwords[space] ?? ofProxySettings(asked, space, configuration)
        {
            put(known, &talk)
            return .again
        }
        guard let offer = talk.offers.first else { return nil }
        ask(
            .challenge(
                ChallengeRecord(
                    scheme: offer.scheme, realm: offer.realm, host: place.host, port: place.port,
                    transport: place.transport, isProxy: asked.isProxy, failures: talk.failures,
                    response: asked.refusedToConnect ? nil : outcome.head.map(ResponseRecord.init))),
            &talk)
        return .asks(
            "\(asked.isProxy ? "the proxy" : "the server") at \(place.host) asks for a password", .challenge)
    }

    /// What went out, if it was meant for that space: a folder's password that another realm refuses says nothing
    /// of what the owner answered.
    private func isOf(_ space: Space, _ used: EngineCredential, _ talk: Talk) -> EngineCredential? {
        let isOurs = [talk.password, passwords[space]].contains {
            $0?.space == space && $0?.credential == used
        }
        return isOurs ? used : nil
    }

    /// A password is for the place that asked, also when a redirect led there: the next attempt begins at it.
    private func startAtThePlace(
        _ asked: Asked, _ outcome: EngineOutcome, _ talk: inout Talk, _ task: TaskRecord,
        _ configuration: SessionConfigurationRecord
    ) {
        guard !asked.isProxy, let last = outcome.transactions.last, let place = Place(last.url),
            Place(talk.instead?.url ?? task.request.url)?.isIn(place.transport, place.host, place.port)
                != true
        else { return }
        var request = task.request
        request.url = last.url
        request.method = last.method
        let secret: Set = ["authorization", "cookie", "proxy-authorization"]
        request.headers = AttemptRequest.ownFields(task, configuration)
            .filter { !secret.contains($0.name.lowercased()) }
        talk.sendsBody = last.method == outcome.transactions.first?.method
        talk.instead = request
    }

    /// A proxy's address may hold the name and the password; libcurl sends those as Basic by itself.
    private func ofProxySettings(
        _ asked: Asked, _ space: Space, _ configuration: SessionConfigurationRecord
    ) -> Password? {
        guard asked.isProxy, let proxy = asked.proxy, let user = proxy.user?.removingPercentEncoding,
            let password = proxy.password?.removingPercentEncoding, asked.offers[0].scheme != "basic",
            let scheme = EngineCredential.Scheme(rawValue: asked.offers[0].scheme)
        else { return nil }
        return Password(
            space: space, folder: "/",
            credential: EngineCredential(user: user, password: password, scheme: scheme))
    }

    private func put(_ password: Password, _ talk: inout Talk) {
        if password.space.isProxy { talk.proxyPassword = password } else { talk.password = password }
    }

    private mutating func ask(_ question: TaskQuestion, _ talk: inout Talk) {
        lastNumber += 1
        talk.number = lastNumber
        talk.question = question
    }

    // MARK: The owner's word

    /// The answer that asks it, where that is kept in memory.
    func heldAnswer(_ key: Int64) -> HeldAnswer? { talks[key]?.held }

    /// The open question of a task.
    func question(_ key: Int64) -> (number: Int64, question: TaskQuestion)? {
        guard let talk = talks[key], let number = talk.number, let question = talk.question else {
            return nil
        }
        return (number, question)
    }

    /// What the answer means for the task; nil when nothing waits for it.
    mutating func take(_ answer: TaskAnswer, number: Int64, task: TaskRecord) -> Reply? {
        guard var talk = talks[task.key], talk.number == number, let question = talk.question else {
            return nil
        }
        defer { talks[task.key] = talk }
        talk.number = nil
        talk.question = nil
        switch (question, answer) {
        case (.challenge(let challenge), .credential(let user, let secret, let remembers)):
            guard let space = talk.space, let scheme = EngineCredential.Scheme(rawValue: challenge.scheme)
            else { return deliver(challenge, &talk, task) }
            let password = Password(
                space: space, folder: Place(challenge.response?.url ?? "")?.folder ?? "/",
                credential: EngineCredential(user: user, password: secret, scheme: scheme))
            put(password, &talk)
            if remembers { passwords[space] = password }
            return .again
        case (.challenge(let challenge), .reject):
            if !talk.offers.isEmpty { talk.offers.removeFirst() }
            guard let next = talk.offers.first else { return deliver(challenge, &talk, task) }
            var other = challenge
            other.scheme = next.scheme
            other.realm = next.realm
            talk.space?.realm = next.realm
            ask(.challenge(other), &talk)
            return .askAgain
        case (.challenge(let challenge), .deliver):
            return deliver(challenge, &talk, task)
        case (.redirect, .follow(let request)):
            talk.instead = request
            talk.sendsBody = talk.proposal?.sendsBody == true && request.method != "GET"
            return .again
        case (.redirect, .deliver), (.redirect, .reject):
            talk.isSettled = true
            return .deliver
        case (_, .cancel):
            return .end(
                ErrorRecord(ErrorCode.cancelled, "cancelled when it was asked for", url: task.request.url))
        case (.challenge(let challenge), .follow):
            return deliver(challenge, &talk, task)
        case (.redirect, .credential):
            talk.isSettled = true
            return .deliver
        }
    }

    private func deliver(_ challenge: ChallengeRecord, _ talk: inout Talk, _ task: TaskRecord) -> Reply {
        talk.isSettled = true
        guard challenge.response == nil else { return .deliver }
        return .end(
            ErrorRecord(
                ErrorCode.authenticationRequired, "the proxy at \(challenge.host) asks for a password",
                url: task.request.url))
    }

    enum Reply: Equatable {
        case again
        case deliver
        case askAgain
        case end(ErrorRecord)
    }

    /// Tasks with an open question.
    var asking: [Int64] { talks.filter { $0.value.number != nil }.map(\.key) }

    // MARK: Forgetting

    /// What was decided about a task since is void.
    mutating func takeBack(_ key: Int64, from earlier: Dialogues) { talks[key] = earlier.talks[key] }

    mutating func forget(_ key: Int64) { talks[key] = nil }

    mutating func forgetPasswords(session: Int64) {
        passwords = passwords.filter { $0.key.session != session }
    }
}

extension EngineOutcome {
    /// Neither an answer nor a word of ours ended it.
    fileprivate var isLost: Bool {
        switch failure?.kind {
        case nil, .refused, .cancelled, .proxyAuthenticationRequired: false
        default: true
        }
    }
}

extension Dialogues {
    /// Who asked, and for what.
    private struct Asked {
        var isProxy: Bool
        /// A proxy that never let anything through.
        var refusedToConnect: Bool
        var place: Place
        var offers: [AuthenticationOffer]
        var proxy: URLComponents?

        init?(_ outcome: EngineOutcome, _ configuration: SessionConfigurationRecord) {
            let url = outcome.transactions.last?.url ?? outcome.head?.url ?? ""
            let refused = outcome.failure?.kind == .proxyAuthenticationRequired
            refusedToConnect = refused
            guard refused || outcome.failure == nil || outcome.failure?.kind == .refused else { return nil }
            isProxy = refused || outcome.head?.status == 407
            if isProxy {
                let proxies = configuration.proxies
                let own = url.lowercased().hasPrefix("https:") ? proxies.https : proxies.http
                let address = own ?? proxies.all ?? ""
                proxy = URLComponents(string: address.contains("://") ? address : "http://" + address)
                guard let text = proxy?.string, let place = Place(text, defaultPort: 1080) else { return nil }
                self.place = place
            } else {
                guard outcome.head?.status == 401, let place = Place(url) else { return nil }
                self.place = place
            }
            offers =
                refused
                ? outcome.proxySchemes.map { AuthenticationOffer(scheme: $0.rawValue) }
                : AuthenticationOffer.usable(
                    outcome.head?.values(of: isProxy ? "Proxy-Authenticate" : "WWW-Authenticate") ?? [])
            guard !offers.isEmpty else { return nil }
        }
    }

    /// An address, as far as it says who is asked.
    private struct Place {
        var transport: String
        var host: String
        var port: Int
        var path: String

        init?(_ url: String, defaultPort: Int? = nil) {
            guard let parts = URLComponents(string: url, encodingInvalidCharacters: false),
                let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased()
            else { return nil }
            transport = scheme
            self.host = host
            port = parts.port ?? defaultPort ?? (scheme == "https" ? 443 : 80)
            path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        }

        var folder: String { String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) }

        func isIn(_ transport: String, _ host: String, _ port: Int) -> Bool {
            self.transport == transport && self.host == host && self.port == port
        }
    }
}
