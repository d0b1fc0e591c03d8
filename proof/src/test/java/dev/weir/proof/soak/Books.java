package dev.weir.proof.soak;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** What became of everything that was asked of one limiter. */
final class Books {

    final AtomicLong asked = new AtomicLong();
    final AtomicLong cancelled = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong passed = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final Queue<Lease> out = new ConcurrentLinkedQueue<>();

    void answered(Lease lease) {
        if (lease.isAcquired()) {
            granted.incrementAndGet();
            out.add(lease);
        }
        answered.incrementAndGet();
    }

    /** An element came through the limit, or a call that it gates began. */
    void passed() {
        passed.incrementAndGet();
    }

    void begun() {
        begun.incrementAndGet();
    }

    void ended() {
        ended.incrementAndGet();
    }

    void returnOne() {
        Lease lease = out.poll();
        if (lease != null) {
            lease.close();
        }
    }

    void returnAll() {
        while (!out.isEmpty()) {
            returnOne();
        }
    }

    /** Every request was answered or cancelled, every stream has ended, and each permit went with a lease or an element. */
    boolean balance(RateLimiter limiter, boolean leased) {
        return asked.get() == answered.get() + cancelled.get()
                && begun.get() == ended.get()
                && limiter.statistics().queuedPermits() == 0
                && limiter.statistics().acquired() == granted.get() + passed.get()
                && (!leased || limiter.availablePermits() == limiter.limit().capacity());
    }

    @Override
    public String toString() {
        return "asked " + asked + ", answered " + answered + ", cancelled " + cancelled + ", granted " + granted
                + ", passed " + passed + ", streams begun " + begun + ", ended " + ended;
    }
}
