//go:build linux

// Package server answers.
package server

import "net/http"

const (
	Limit = 100
	burst = 10 // at once
)

var (
	ErrClosed = errors.New("two  words")
	count, size int
)

var single = 1

// Server answers requests.
type Server struct {
	Name  string
	mutex sync.Mutex
}

type (
	Handler func(http.ResponseWriter) error
	ID      = string
)

// Closer closes.
type Closer interface {
	Close() error
	Reset(hard bool)
}

// New makes one.
func New(name string) *Server {
	inner := func(x int) int {
		return -x
	}
	return &Server{Name: name}
}

func (s *Server) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return nil
}

func (s Server) String() string { return s.Name }

func (l *List[T]) Push(value T) {
	l.items = append(l.items, value)
}

func Map[T, U any](items []T, f func(T) U) []U {
	return nil
}

func init() {}

func init() {}
