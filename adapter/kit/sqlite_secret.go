package kit

import (
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite"
)

// What keeps a row, a table or a column of a source's database out of lore, in lower case. Databases beside chats hold
// logins, and none of them may reach the archive.
//
// In settings tables (those with a column named "key", such as ItemTable and cursorDiskKV) the key tells:
// secret://..., cursorAuth/accessToken, a provider's apiKey. In other tables a key is an id that may hold such letters by
// chance, so there the names of the table and of the column tell. A bare "token" keeps no column out: those are counts.
var (
	secretKeys = newWords(
		"secret", "auth", "token", "password", "passwd", "passphrase", "credential", "cookie",
		"apikey", "api_key", "api-key", "privatekey", "private_key", "private-key", "jwt",
	)
	secretTables = newWords(
		"secret", "auth", "token", "password", "credential", "cookie", "account", "login", "keychain",
	)
	secretColumns = newWords(
		"secret", "password", "passwd", "passphrase", "credential", "cookie", "apikey", "api_key", "privatekey",
		"private_key", "access_token", "accesstoken", "refresh_token", "refreshtoken", "auth_token", "authtoken",
		"id_token", "session_token", "bearer_token", "bot_token", "oauth",
	)
)

// settingsKey is the name of the column that names settings of every kind.
const settingsKey = "key"

// SecretKey reports whether a row holds a secret by the value of one of its columns: whether the column is named "key"
// and the value holds, in any case of letters, any of secret (so also secret://), auth (so also cursorAuth), token, password, passwd,
// passphrase, credential, cookie, apikey, api_key, api-key, privatekey, private_key, private-key, jwt.
func SecretKey(column, key string) bool {
	return strings.EqualFold(column, settingsKey) && secretKeys.in(key)
}

// SecretTable reports whether a table holds secrets by its name: whether that holds, in any case of letters, any of
// secret, auth, token, password, credential, cookie, account, login, keychain.
func SecretTable(table string) bool { return secretTables.in(table) }

// SecretColumn reports whether a column holds secrets by its name: whether that holds, in any case of letters, secret,
// password, passwd, passphrase, credential, cookie, oauth, an api key, a private key, or a token that is for access,
// refresh, auth, id, session, bearer or bot.
func SecretColumn(column string) bool { return secretColumns.in(column) }

// words are looked for inside of names, by their first letter: every key of a table is looked at.
type words [256][]string

func newWords(list ...string) *words {
	var w words
	for _, word := range list {
		upper := word[0] &^ 0x20
		w[word[0]] = append(w[word[0]], word)
		w[upper] = append(w[upper], word)
	}
	return &w
}

// in reports whether any of the words stands in a name, in any case of letters.
func (w *words) in(name string) bool {
	for i := range len(name) {
		for _, word := range w[name[i]] {
			if len(name)-i >= len(word) && strings.EqualFold(name[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}

// secretFunction is the SQL function that keeps secret rows out of a query: SQLite asks it for the key, which stands in
// the index, before it goes to the row's value.
const secretFunction = "lore_secret"

// sqliteDriver makes the connections of views. It is our own, so that nothing is registered for other users of SQLite
// in this process and nothing of theirs for us.
var sqliteDriver = newSQLiteDriver()

func newSQLiteDriver() *sqlite.Driver {
	d := &sqlite.Driver{}
	d.MustRegisterFunction(secretFunction, &sqlite.FunctionImpl{
		NArgs:         1,
		Deterministic: true,
		VolatileArgs:  true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			switch key := args[0].(type) {
			case string:
				return secretAnswer(key), nil
			case []byte:
				return secretAnswer(string(key)), nil
			}
			return int64(0), nil
		},
	})
	return d
}

func secretAnswer(key string) int64 {
	if secretKeys.in(key) {
		return 1
	}
	return 0
}
