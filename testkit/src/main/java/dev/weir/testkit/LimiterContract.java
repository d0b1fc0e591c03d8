package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;

/**
 * What the contracts of a limiter have in common: a virtual clock, limiters on it, and requests whose answers are kept.
 *
 * <p>Each contract is a class of tests on one theme. A suite such as {@link RateLimiterContract} composes them; to compose
 * others, extend a contract by a nested class.
 *
 * <p>Each test has an instance of its own, also where the usual lifecycle is another.
 */
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
public abstract class LimiterContract {

    /** The period of the limits that are tried. */
    protected static final Duration PERIOD = Duration.ofSeconds(1);

    static final long PERIOD_NANOS = PERIOD.toNanos();
    static final Duration NANO = Duration.ofNanos(1);

    /** A clock that begins here wraps in the midst of a test. */
    static final long JUST_BEFORE_THE_WRAP = Long.MAX_VALUE - 3 * PERIOD_NANOS;

    /** The clock of all limiters, unless a test sets another. */
    protected final VirtualTimeSource time;

    /** Whom the contract is held against. */
    protected final ContractSubject subject;

    private final List<Asked> asked = new ArrayList<>();
    private final List<Lease> held = new ArrayList<>();

    /**
     * Prepares a contract.
     *
     * @param subject whom it is held against
     * @param originNanos where the clock begins
     */
    protected LimiterContract(ContractSubject subject, long originNanos) {
        this.subject = subject;
        this.time = new VirtualTimeSource(originNanos);
    }

    @AfterEach
    void everyRequestWasAnsweredAtMostOnce() {
        asked.forEach(Asked::checkAnsweredAtMostOnce);
    }

    /**
     * Makes a limiter that has so many permits at first.
     *
     * @param permits the capacity of its limit
     * @return a limiter on {@link #time}
     */
    protected final RateLimiter limiter(int permits) {
        return limiter(permits, settings -> settings);
    }

    /**
     * Makes a limiter that has so many permits at first.
     *
     * @param permits the capacity of its limit
     * @param settings what else it is to be
     * @return a limiter on {@link #time}, unless the settings say otherwise
     */
    protected final RateLimiter limiter(int permits, UnaryOperator<RateLimiter.Builder> settings) {
        return settings.apply(subject.builder(subject.limit(permits, PERIOD)).timeSource(time))
                .build();
    }

    final RateLimiter limiter(int permits, TimeSource clock) {
        return limiter(permits, settings -> settings.timeSource(clock));
    }

    /** Takes permits that must be there. */
    final Lease take(RateLimiter limiter, int permits) {
        Lease lease = limiter.tryAcquire(permits);
        assertTrue(lease.isAcquired(), () -> permits + " permits were there, but: " + lease.reason());
        assertEquals(permits, lease.permits());
        held.add(lease);
        return lease;
    }

    /** Takes all permits that are there, so that whoever asks next waits. */
    final void exhaust(RateLimiter limiter) {
        take(limiter, Math.toIntExact(limiter.availablePermits()));
        assertEquals(0, limiter.availablePermits());
    }

    /** Asks for permits; answers are kept in order. */
    final Asked ask(RateLimiter limiter, int permits) {
        Asked request = new Asked(limiter, time, permits);
        asked.add(request);
        request.begin(() -> limiter.acquire(permits, request));
        return request;
    }

    final Asked ask(RateLimiter limiter, int permits, Duration maxWait) {
        Asked request = new Asked(limiter, time, permits);
        asked.add(request);
        request.begin(() -> limiter.acquire(permits, maxWait, request));
        return request;
    }

    /** Asks for permits that are not there. */
    final Asked askAndWait(RateLimiter limiter, int permits) {
        Asked request = ask(limiter, permits);
        request.checkWaits();
        return request;
    }

    /** Lets all permits come back that are out: those who wait may then have them. */
    final void refill() {
        List<Lease> out = new ArrayList<>(held);
        held.clear();
        for (Asked request : asked) {
            if (request.isGranted() && request.isHeld()) {
                out.add(request.release());
            }
        }
        time.advanceBy(PERIOD);
        out.forEach(Lease::close);
    }

    /** The requests that have been granted or refused, in the order in which they were. */
    final List<Asked> answered() {
        List<Asked> answered = new ArrayList<>();
        for (Asked request : asked) {
            if (request.isAnswered()) {
                answered.add(request);
            }
        }
        answered.sort((a, b) -> Integer.compare(a.rank(), b.rank()));
        return answered;
    }

    final void checkAnsweredInOrder(Asked... requests) {
        assertEquals(List.of(requests), answered(), "answers in order");
    }

    static void checkRefused(RefusalReason reason, Lease lease) {
        assertEquals(reason, lease.reason().orElse(null), "reason of the refusal");
        assertEquals(false, lease.isAcquired());
    }

    /** The answer that must be there by now: waiting for it would keep a test from failing. */
    static Lease answer(CompletableFuture<Lease> future) {
        assertTrue(future.isDone(), "answered by now");
        return future.join();
    }

    /** Not one that leaves {@code tryConsume} as the interface has it: it says no without a look at the number. */
    static boolean consumes(RateLimiter limiter) {
        try {
            return !limiter.getClass().getMethod("tryConsume", int.class).isDefault();
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    final void advanceNanos(long nanos) {
        time.advanceBy(Duration.ofNanos(nanos));
    }
}
