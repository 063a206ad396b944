package com.example.billing;

import java.util.List;

/**
 * Sends invoices.
 */
@Service
public class Billing extends Base implements Sender<Invoice> {
    private static final int LIMIT = 100;
    protected String name, title = "two  words";

    static {
        System.loadLibrary("billing");
    }

    // Made once.
    public Billing(String name) {
        this.name = name;
    }

    @Override
    public <T extends Invoice> List<List<T>> send(List<T> invoices) throws SendException {
        Runnable task = () -> System.out.println("sent");
        Object local = new Object() {
            @Override
            public String toString() {
                return "anonymous";
            }
        };
        return List.of(invoices);
    }

    public List<Invoice> send() {
        return List.of();
    }

    enum State {
        OPEN("o"),
        PAID("p") {
            @Override
            boolean last() {
                return true;
            }
        };

        private final String code;

        State(String code) {
            this.code = code;
        }

        boolean last() {
            return false;
        }
    }

    interface Listener {
        int PRIORITY = 1;

        void sent(Invoice invoice);
    }

    record Pair(String left, int right) {
        Pair {
            assert right > 0;
        }
    }

    @interface Cached {
        int seconds() default 60;
    }
}
