// The tables, as a list of named steps. A step that was released is never edited: a change is a new step.
// The number of steps is the format's version (`PRAGMA user_version`).
//
// Columns are what is looked for; the rest of a record is JSON. A member added to a record later must be
// optional, or come with a step that fills it in: rows that do not decode are quarantined.
// Dates in columns are seconds since 1970; in JSON they are Foundation's (since 2001), which loses nothing.

enum Schema {
    struct Step {
        var name: String
        var sql: String
    }

    /// `urls` in ASCII: tells our files from other programs'.
    static let applicationID: Int64 = 0x7572_6c73
    static var version: Int64 { Int64(steps.count) }

    static let steps = [
        Step(name: "sessions, tasks, outbox, partial files", sql: first),
        Step(name: "wakes, clients", sql: wakes),
        Step(name: "find the tasks with a pipe", sql: pipes),
        Step(name: "descriptions are looked for", sql: descriptions),
    ]

    /// Takes a database from whatever version it has to the newest, a transaction a step.
    static func migrate(_ database: Database) throws(StoreError) {
        let present = try database.integer("read the format's version", "PRAGMA user_version")
        for (index, step) in steps.enumerated().dropFirst(max(0, Int(present))) {
            let attempt = "change the format (\(step.name))"
            try database.begin()
            do {
                try database.execute(attempt, step.sql)
                try database.execute(attempt, "PRAGMA application_id = \(applicationID)")
                try database.execute(attempt, "PRAGMA user_version = \(index + 1)")
            } catch {
                database.rollback()
                throw error
            }
            try database.commit()
        }
    }

    /// `instr`, since a row that is no JSON must be no obstacle here; a quote within a string is escaped.
    private static let pipes = """
        CREATE INDEX task_with_pipe ON task (session) WHERE instr(json, '"pipe":"') > 0;
        """

    /// Keys and sequences are never given twice (AUTOINCREMENT): a late message about a removed task must
    /// not meet another one.
    ///
    /// `begin` is set only while a queued task's date lies ahead and `deadline` only until a task ends, so
    /// that each index holds no more rows than its question is about.
    private static let first = """
        CREATE TABLE configuration (
            id INTEGER PRIMARY KEY,
            json TEXT NOT NULL
        ) STRICT;
        CREATE INDEX configuration_by_json ON configuration (json);

        CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            client TEXT NOT NULL,
            identifier TEXT NOT NULL,
            configuration INTEGER NOT NULL REFERENCES configuration (id),
            next_task_identifier INTEGER NOT NULL,
            UNIQUE (client, identifier)
        ) STRICT;
        CREATE INDEX session_by_configuration ON session (configuration);

        CREATE TABLE task (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES session (id),
            configuration INTEGER NOT NULL REFERENCES configuration (id),
            identifier INTEGER NOT NULL,
            token TEXT NOT NULL,
            body TEXT NOT NULL,
            phase TEXT NOT NULL,
            lane TEXT NOT NULL CHECK (lane <> ''),
            priority REAL NOT NULL,
            begin REAL,
            deadline REAL,
            received INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            synced_offset INTEGER NOT NULL,
            boot TEXT,
            json TEXT NOT NULL,
            UNIQUE (session, identifier),
            UNIQUE (session, token)
        ) STRICT;
        CREATE INDEX task_by_session ON task (session);
        CREATE INDEX task_by_phase ON task (phase, session);
        CREATE INDEX task_by_configuration ON task (configuration);
        CREATE INDEX task_by_body ON task (body);
        CREATE INDEX task_ready ON task (lane, priority DESC, key) WHERE phase = 'queued' AND begin IS NULL;
        CREATE INDEX task_by_begin ON task (begin) WHERE begin IS NOT NULL;
        CREATE INDEX task_by_deadline ON task (deadline) WHERE deadline IS NOT NULL;

        CREATE TABLE outbox (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES session (id),
            task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
            json TEXT NOT NULL
        ) STRICT;
        CREATE INDEX outbox_by_session ON outbox (session);
        CREATE INDEX outbox_by_task ON outbox (task);

        CREATE TABLE partial (
            token TEXT PRIMARY KEY,
            session INTEGER REFERENCES session (id) ON DELETE SET NULL,
            file TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            created REAL NOT NULL,
            synced_offset INTEGER NOT NULL,
            boot TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX partial_by_file ON partial (file);
        CREATE INDEX partial_by_session ON partial (session);

        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY,
            origin TEXT NOT NULL,
            reason TEXT NOT NULL,
            noticed REAL NOT NULL,
            row TEXT NOT NULL
        ) STRICT;
        """

    private static let wakes = """
        CREATE TABLE wake (
            session INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
            json TEXT NOT NULL
        ) STRICT;

        CREATE TABLE client (
            name TEXT PRIMARY KEY,
            json TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// A column, since a row whose JSON is damaged must not keep an index from being made.
    private static let descriptions = """
        ALTER TABLE task ADD COLUMN description TEXT;
        UPDATE task SET description = json_extract(json, '$.description') WHERE json_valid(json);
        CREATE INDEX task_by_description ON task (session, description) WHERE description IS NOT NULL;
        """
}
