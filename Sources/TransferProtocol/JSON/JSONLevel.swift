// One value on its way into the text of PlainJSONEncoder: an object, an array, or a word of its own. It is
// written from front to back: a container nested in it must be done before the next member begins, as it is with
// every type whose conformance the compiler makes.
import Foundation

final class JSONLevel: Encoder {
    struct Member {
        var key: String
        /// Where its key stands in the text.
        var begin: Int
    }

    private enum Kind { case undecided, object, array, word }

    let text: JSONText
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private var kind = Kind.undecided
    private var members: [Member] = []
    private(set) var count = 0
    /// The container nested in it that is being written.
    private var inner: JSONLevel?

    init(_ text: JSONText) { self.text = text }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.object, "{")
        return KeyedEncodingContainer(JSONMembers(level: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.array, "[")
        return JSONElements(level: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        kind = .word
        return JSONWord(level: self)
    }

    private func open(_ kind: Kind, _ bracket: Unicode.Scalar) {
        guard self.kind == .undecided else { return }
        self.kind = kind
        text.write(mark: bracket)
    }

    /// What is written next is this member's value.
    func begin(_ key: String) {
        separate()
        members.append(Member(key: key, begin: text.count))
        text.write(string: key)
        text.write(mark: ":")
    }

    /// What is written next is an element, and what is written next after a key.
    func separate() {
        inner?.finish()
        inner = nil
        if count > 0 { text.write(mark: ",") }
        count += 1
    }

    /// A container in the place of the value that comes next.
    func nest() -> JSONLevel {
        let level = JSONLevel(text)
        inner = level
        return level
    }

    func finish() {
        inner?.finish()
        inner = nil
        switch kind {
        case .object:
            text.sort(members)
            text.write(mark: "}")
        case .array: text.write(mark: "]")
        // A type without members opens nothing.
        case .undecided: text.write(word: "{}")
        case .word: break
        }
    }
}
