package dev.weir.proof.soak;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** The life of one limiter: some hundred random acts, then the end, after which its books must balance. */
final class Session {

    private static final int MOST_ACTS = 400;
    private static final int MOST_STREAMS = 8;
    private static final int MOST_REQUESTS = 64;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();

    private final SplittableRandom random;
    private final Limit limit;
    private final RateLimiter limiter;
    private final boolean leased;
    private final Books books = new Books();
    private final Streams streams;
    private final Deque<PermitRequest> requests = new ArrayDeque<>();
    private final Deque<Runnable> disposals = new ArrayDeque<>();
    private int acts;
    private long endedAt;

    Session(TimeSource time, SplittableRandom random) {
        this.random = random;
        this.limit = Limits.any(random);
        this.limiter = Limits.limiter(limit, time, random);
        this.leased = Limits.isLeased(limit);
        this.streams = new Streams(books, random);
        this.acts = 1 + random.nextInt(MOST_ACTS);
    }

    /** Goes on; returns whether the session is over, with all accounted for. */
    boolean isOverAfterGoingOn() {
        if (acts > 0) {
            act();
            if (--acts == 0) {
                end();
            }
            return false;
        }
        books.returnAll();
        if (books.balance(limiter, leased)) {
            return true;
        }
        if (System.nanoTime() - endedAt > PATIENCE_NANOS) {
            throw new AssertionError(
                    "The books of " + limit + " do not balance: " + books + ", " + limiter.statistics());
        }
        return false;
    }

    private void act() {
        switch (random.nextInt(8)) {
            case 0, 1 -> ask();
            case 2 -> askByFuture();
            case 3 -> cancelOldest();
            case 4 -> keep(streams.over(limiter, leased));
            case 5 -> keep(streams.withLimiterOfItsOwn(Limits.byTime(random)));
            case 6 -> disposeOldest();
            default -> books.returnOne();
        }
        if (random.nextInt(200) == 0) {
            limiter.pauseFor(Duration.ofNanos(random.nextInt(3_000_000)));
        }
    }

    private void ask() {
        books.asked.incrementAndGet();
        requests.add(limiter.acquire(permits(), books::answered));
        if (requests.size() > MOST_REQUESTS) {
            cancelOldest();
        }
    }

    private void askByFuture() {
        books.asked.incrementAndGet();
        CompletableFuture<Lease> future = limiter.acquire(permits());
        var unused = future.whenComplete((lease, cancelled) -> {
            if (cancelled == null) {
                books.answered(lease);
            } else {
                books.cancelled.incrementAndGet();
            }
        });
        if (random.nextBoolean()) {
            future.cancel(true);
        }
    }

    private int permits() {
        return 1 + random.nextInt(Math.min(5, limit.capacity()));
    }

    private void cancelOldest() {
        PermitRequest oldest = requests.poll();
        if (oldest != null && oldest.cancel()) {
            books.cancelled.incrementAndGet();
        }
    }

    private void keep(Runnable disposal) {
        disposals.add(disposal);
        if (disposals.size() > MOST_STREAMS) {
            disposeOldest();
        }
    }

    private void disposeOldest() {
        Runnable oldest = disposals.poll();
        if (oldest != null) {
            oldest.run();
        }
    }

    private void end() {
        endedAt = System.nanoTime();
        limiter.close();
        disposals.forEach(Runnable::run);
        disposals.clear();
        requests.clear();
    }
}
