// A path to a file as it was written. Whether it exists, and what it is, is
// asked when the file is used.

struct FileArgument: ArgumentValue, Equatable {
    let path: String

    init(argument: String) throws(InvalidValue) {
        guard !argument.isEmpty else {
            throw InvalidValue("it is empty; write a file's path.")
        }
        guard argument != "-" else {
            throw InvalidValue(
                "a transfer that outlives this process cannot use its standard input or output; "
                    + "name a file (./- if it is really called that).")
        }
        path = argument
    }
}
