// The two request methods that carry a file.

enum UploadMethod: String, ArgumentValue {
    case post = "POST"
    case put = "PUT"

    init(argument: String) throws(InvalidValue) {
        // Methods are case-sensitive (RFC 9110, section 9.1): `put` would be another one.
        guard let method = UploadMethod(rawValue: argument.uppercased()) else {
            throw InvalidValue("an upload's method is POST or PUT; write one of them.")
        }
        self = method
    }
}
