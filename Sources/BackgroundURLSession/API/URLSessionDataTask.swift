/// A task whose answer's body comes to the delegate as data.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
