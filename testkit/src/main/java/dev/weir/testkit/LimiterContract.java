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
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The base class of the contracts of a limiter: a virtual clock, limiters on it, and requests whose answers are recorded.
 *
 * <p>Each contract is a class of tests on one topic. A suite such as {@link RateLimiterContract} composes them; for another
 * selection, extend the contracts in nested classes.
 *
 * <p>Each test has its own instance, even if the default lifecycle of JUnit has been changed, and its own thread, so that it ends
 * after two minutes even if the limiter never returns. A limiter that sets its timer again and again with no delay fails at once.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
public abstract class LimiterContract {

    /** The period of the limits under test. */
    protected static final Duration PERIOD = Duration.ofSeconds(1);

    static final long PERIOD_NANOS = PERIOD.toNanos();
    static final Duration NANO = Duration.ofNanos(1);

    /** An origin from which the clock wraps in the middle of a test. */
    static final long JUST_BEFORE_THE_WRAP = Long.MAX_VALUE - 3 * PERIOD_NANOS;

    /** Far more timers than a limiter can need at one instant, however many requests it answers. */
    private static final int MOST_TASKS_AT_ONCE = 1_000_000;

    /** The clock of all limiters, unless a test sets another. */
    protected final VirtualTimeSource time;

    /** The subject under test. */
    protected final ContractSubject subject;

    private final List<Asked> asked = new ArrayList<>();
    private final List<Lease> held = new ArrayList<>();

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected LimiterContract(ContractSubject subject, long originNanos) {
        this.subject = subject;
        this.time = new VirtualTimeSource(originNanos, MOST_TASKS_AT_ONCE);
    }

    @AfterEach
    void everyRequestWasAnsweredAtMostOnce() {
        asked.forEach(Asked::checkAnsweredAtMostOnce);
    }

    /**
     * Creates a limiter that has all its permits at first.
     *
     * @param permits the capacity of its limit
     * @return a limiter on {@link #time}
     */
    protected final RateLimiter limiter(int permits) {
        return limiter(permits, settings -> settings);
    }

    /**
     * Creates a limiter with further settings that has all its permits at first.
     *
     * @param permits the capacity of its limit
     * @param settings applies further settings to the builder
     * @return a limiter on {@link #time}, unless the settings say otherwise
     */
    protected final RateLimiter limiter(int permits, UnaryOperator<RateLimiter.Builder> settings) {
        return settings.apply(subject.builder(subject.limit(permits, PERIOD)).timeSource(time))
                .build();
    }

    final RateLimiter limiter(int permits, TimeSource clock) {
        return limiter(permits, settings -> settings.timeSource(clock));
    }

    /** Takes permits that must be available. */
    final Lease take(RateLimiter limiter, int permits) {
        Lease lease = limiter.tryAcquire(permits);
        assertTrue(lease.isAcquired(), () -> permits + " permits were there, but: " + lease.reason());
        assertEquals(permits, lease.permits(), "permits of the lease");
        held.add(lease);
        return lease;
    }

    /** Takes all available permits, so that the next request waits. */
    final void exhaust(RateLimiter limiter) {
        take(limiter, Math.toIntExact(limiter.availablePermits()));
        assertEquals(0, limiter.availablePermits(), "available after all that was available has been taken");
    }

    /** Requests permits; answers are recorded in order. */
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

    /** Requests permits that are not available. */
    final Asked askAndWait(RateLimiter limiter, int permits) {
        Asked request = ask(limiter, permits);
        request.checkWaits();
        return request;
    }

    /** Returns all permits that are held, by time and by closing leases, so that waiting requests may take them. */
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

    /** Returns the requests that have been granted or refused, in that order. */
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

    final void checkNoTimerIsPending() {
        assertEquals(0, time.pendingTasks(), "timers that are pending");
    }

    final void checkAtMostOneTimerIsPending() {
        int pending = time.pendingTasks();
        assertTrue(pending <= 1, () -> "at most one timer is pending, but " + pending + " are");
    }

    static void checkRefused(RefusalReason reason, Lease lease) {
        assertEquals(reason, lease.reason().orElse(null), "reason of the refusal");
        assertEquals(false, lease.isAcquired(), "acquired");
    }

    /** Returns the answer, which must be available already: waiting for it could make a failing test hang. */
    static Lease answer(CompletableFuture<Lease> future) {
        assertTrue(future.isDone(), "answered by now");
        return future.join();
    }

    /** Returns whether another thread gets an answer while this one is here: not if it needs a lock that this one holds. */
    static boolean answersAnotherThread(RateLimiter limiter) {
        return CompletableFuture.supplyAsync(
                        () -> limiter.tryAcquire(0), task -> new Thread(task, "another caller").start())
                .thenApply(answer -> true)
                .completeOnTimeout(false, 20, TimeUnit.SECONDS)
                .join();
    }

    /** Returns whether the limiter implements {@code tryConsume}: the default method refuses without checking the number. */
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
