package bank

import "fmt"

const Limit = 10

type Ledger struct {
	Owner   string
	history []int
}

func (l *Ledger) Balance() int {
	total := 0
	for _, step := range l.history {
		total += step
	}
	return total
}

func (l *Ledger) Move(amount int, force bool) (int, error) {
	after := l.Balance() + amount
	if after < 0 && !force {
		return 0, fmt.Errorf("%s has %d", l.Owner, l.Balance())
	}
	l.history = append(l.history, amount)
	for len(l.history) > Limit {
		first, second := l.history[0], l.history[1]
		l.history = append([]int{first - second}, l.history[2:]...)
	}
	switch {
	case after > 100:
		return 1, nil
	default:
		return after, nil
	}
}
