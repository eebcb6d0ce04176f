package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the server answers over HTTP.
const Path = "/mcp"

// mostBody bounds a request over HTTP, in bytes. It is above what any argument may hold, so that an argument that is too
// long is told so in the protocol's own form.
const mostBody = 16 << 20

// NewToken returns a token that cannot be guessed.
func NewToken() string { return strings.ToLower(rand.Text()) }

// Handler answers requests over HTTP for those who know the token. Only this machine is answered, and no web page: the
// name by which the server was called and the origin of the page that calls must both be this machine's.
func Handler(s *sdk.Server, token string) http.Handler {
	// Without sessions every version of the protocol is answered, and nothing is kept for a client that went away.
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: mostBody, PropagateRequestCancellation: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopbackHost(r.Host):
			http.Error(w, "this server answers only to localhost, 127.0.0.1 and [::1]", http.StatusForbidden)
		case !loopbackOrigin(r.Header.Get("Origin")):
			http.Error(w, "requests of a web page are not answered", http.StatusForbidden)
		case !sameToken(r.Header.Get("Authorization"), token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="lore"`)
			http.Error(w, "a token is needed: send the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
		case r.URL.Path != Path:
			http.Error(w, "the server is at "+Path, http.StatusNotFound)
		default:
			inner.ServeHTTP(&shortErrors{ResponseWriter: w}, r)
		}
	})
}

// shortErrors keeps the errors in answers short. An answer is written in one piece.
type shortErrors struct {
	http.ResponseWriter
	failed bool // the answer is the words of an error, not a message
}

func (w *shortErrors) WriteHeader(status int) {
	w.failed = status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	w.ResponseWriter.WriteHeader(status)
}

func (w *shortErrors) Write(p []byte) (int, error) {
	short := shortAnswer(p)
	if w.failed {
		short = []byte(shortened(string(p)))
	}
	if _, err := w.ResponseWriter.Write(short); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap lets a connection be told from what is written on it.
func (w *shortErrors) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// loopbackHost reports whether the name in a request is one of this machine's own: anything else is another site's name
// that was made to lead here.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// loopbackOrigin reports whether a request is of no web page, or of one that this machine serves.
func loopbackOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && loopbackHost(u.Host)
}

// sameToken compares without telling by its time how much of a token was right.
func sameToken(header, token string) bool {
	given, ok := strings.CutPrefix(header, "Bearer ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(token))
	return ok && token != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// ErrNotLoopback says that an address would be reachable from other machines.
var ErrNotLoopback = errors.New("not an address of this machine alone")

// Listen opens a port on the loopback interface and no other.
func Listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is no address: give 127.0.0.1:PORT", addr)
	}
	if host == "" || !loopbackHost(host) {
		return nil, fmt.Errorf("%q is %w: give 127.0.0.1:%s", addr, ErrNotLoopback, port)
	}
	return net.Listen("tcp", addr)
}

// HTTP answers on a listener until the context ends, then lets what is running come to its end for a moment.
func HTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stopped := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if server.Shutdown(end) != nil {
			server.Close()
		}
	})
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
