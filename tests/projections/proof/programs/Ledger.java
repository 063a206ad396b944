package bank;

import java.util.ArrayDeque;
import java.util.Deque;

public class Ledger {
    static final int LIMIT = 10;
    private final Deque<Long> history = new ArrayDeque<>();
    private final String owner;

    public Ledger(String owner) {
        this.owner = owner;
    }

    public long balance() {
        long total = 0;
        for (long step : history) {
            total += step;
        }
        return total;
    }

    public int move(long amount, boolean force) {
        long after = balance() + amount;
        if (after < 0 && !force) {
            throw new IllegalStateException(owner + " has " + balance());
        }
        history.addLast(amount);
        int merged = 0;
        while (history.size() > LIMIT) {
            long first = history.removeFirst();
            long second = history.removeFirst();
            history.addFirst(first - second);
            merged++;
        }
        return after > 100 ? merged : -1;
    }
}
