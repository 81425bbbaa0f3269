// The three faces by which a value writes itself into a JSONLevel. One line for each type that Codable names.
import Foundation

/// The members of an object.
struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let level: JSONLevel
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { at(key).write(word: "null") }
    func encode(_ value: Bool, forKey key: Key) throws { at(key).write(flag: value) }
    func encode(_ value: String, forKey key: Key) throws { at(key).write(string: value) }
    func encode(_ value: Double, forKey key: Key) throws { try at(key).write(number: value) }
    func encode(_ value: Float, forKey key: Key) throws { try at(key).write(number: value) }
    func encode(_ value: Int, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: Int8, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: Int16, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: Int32, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: Int64, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: UInt, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: UInt8, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: UInt16, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: UInt32, forKey key: Key) throws { at(key).write(number: value) }
    func encode(_ value: UInt64, forKey key: Key) throws { at(key).write(number: value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try at(key).write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        level.begin(key.stringValue)
        return level.nest().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        level.begin(key.stringValue)
        return level.nest().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        level.begin("super")
        return level.nest()
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        level.begin(key.stringValue)
        return level.nest()
    }

    private func at(_ key: Key) -> JSONText {
        level.begin(key.stringValue)
        return level.text
    }
}

/// The elements of an array.
struct JSONElements: UnkeyedEncodingContainer {
    let level: JSONLevel
    var codingPath: [any CodingKey] { [] }
    var count: Int { level.count }

    func encodeNil() throws { at().write(word: "null") }
    func encode(_ value: Bool) throws { at().write(flag: value) }
    func encode(_ value: String) throws { at().write(string: value) }
    func encode(_ value: Double) throws { try at().write(number: value) }
    func encode(_ value: Float) throws { try at().write(number: value) }
    func encode(_ value: Int) throws { at().write(number: value) }
    func encode(_ value: Int8) throws { at().write(number: value) }
    func encode(_ value: Int16) throws { at().write(number: value) }
    func encode(_ value: Int32) throws { at().write(number: value) }
    func encode(_ value: Int64) throws { at().write(number: value) }
    func encode(_ value: UInt) throws { at().write(number: value) }
    func encode(_ value: UInt8) throws { at().write(number: value) }
    func encode(_ value: UInt16) throws { at().write(number: value) }
    func encode(_ value: UInt32) throws { at().write(number: value) }
    func encode(_ value: UInt64) throws { at().write(number: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try at().write(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        level.separate()
        return level.nest().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        level.separate()
        return level.nest().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        level.separate()
        return level.nest()
    }

    private func at() -> JSONText {
        level.separate()
        return level.text
    }
}

/// A value that is one word, or another value's stand-in.
struct JSONWord: SingleValueEncodingContainer {
    let level: JSONLevel
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { level.text.write(word: "null") }
    func encode(_ value: Bool) throws { level.text.write(flag: value) }
    func encode(_ value: String) throws { level.text.write(string: value) }
    func encode(_ value: Double) throws { try level.text.write(number: value) }
    func encode(_ value: Float) throws { try level.text.write(number: value) }
    func encode(_ value: Int) throws { level.text.write(number: value) }
    func encode(_ value: Int8) throws { level.text.write(number: value) }
    func encode(_ value: Int16) throws { level.text.write(number: value) }
    func encode(_ value: Int32) throws { level.text.write(number: value) }
    func encode(_ value: Int64) throws { level.text.write(number: value) }
    func encode(_ value: UInt) throws { level.text.write(number: value) }
    func encode(_ value: UInt8) throws { level.text.write(number: value) }
    func encode(_ value: UInt16) throws { level.text.write(number: value) }
    func encode(_ value: UInt32) throws { level.text.write(number: value) }
    func encode(_ value: UInt64) throws { level.text.write(number: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try level.text.write(value) }
}
