package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Tests that misuse throws an exception that names the problem, and leaves the limiter unchanged. */
public abstract class ArgumentsContract extends LimiterContract {

    private static final int CAPACITY = 5;

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ArgumentsContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void moreThanTheCapacityIsRefusedByNumberAndLimit() {
        RateLimiter limiter = limiter(CAPACITY);
        Asked listener = new Asked(limiter, time, 6);
        checkNamesNumberAndLimit(limiter, 6, () -> limiter.tryAcquire(6));
        checkConsuming(limiter, 6);
        checkNamesNumberAndLimit(limiter, 6, () -> answer(limiter.acquire(6)));
        checkNamesNumberAndLimit(limiter, 6, () -> limiter.acquire(6, listener));
        checkNamesNumberAndLimit(limiter, 6, () -> limiter.acquire(6, PERIOD, listener));
        checkNamesNumberAndLimit(limiter, 6, () -> answer(limiter.acquireWithin(6, PERIOD)));
        checkNamesNumberAndLimit(limiter, Integer.MAX_VALUE, () -> limiter.tryAcquire(Integer.MAX_VALUE));
        assertTrue(limiter.tryAcquire(CAPACITY).isAcquired(), "the capacity itself is allowed");
    }

    @Test
    void negativePermitsAreRefusedByNumberAndLimit() {
        RateLimiter limiter = limiter(CAPACITY);
        Asked listener = new Asked(limiter, time, -1);
        checkNamesNumberAndLimit(limiter, -1, () -> limiter.tryAcquire(-1));
        checkConsuming(limiter, -1);
        checkNamesNumberAndLimit(limiter, -1, () -> answer(limiter.acquire(-1)));
        checkNamesNumberAndLimit(limiter, -1, () -> limiter.acquire(-1, listener));
        checkNamesNumberAndLimit(limiter, -1, () -> limiter.acquire(-1, PERIOD, listener));
        checkNamesNumberAndLimit(limiter, -1, () -> answer(limiter.acquireWithin(-1, PERIOD)));
        checkNamesNumberAndLimit(limiter, -7, () -> {
            limiter.charge(-7);
            return 0;
        });
        checkNamesNumberAndLimit(limiter, Integer.MIN_VALUE, () -> limiter.tryAcquire(Integer.MIN_VALUE));
        assertTrue(limiter.tryAcquire(CAPACITY).isAcquired(), "nothing was taken or charged");
    }

    private static void checkConsuming(RateLimiter limiter, int number) {
        if (consumes(limiter)) {
            checkNamesNumberAndLimit(limiter, number, () -> limiter.tryConsume(number));
        }
    }

    private static void checkNamesNumberAndLimit(RateLimiter limiter, int number, Callable<?> misuse) {
        RateLimiterStatistics before = limiter.statistics();
        checkNames(Integer.toString(number), misuse);
        checkNames(limiter.limit().toString(), misuse);
        assertEquals(before, limiter.statistics(), "misuse changes nothing");
    }

    private static void checkNames(String what, Callable<?> misuse) {
        checkMessage(what, assertThrows(IllegalArgumentException.class, misuse::call, () -> what + " must be refused"));
    }

    private static void checkMissing(String argument, Callable<?> misuse) {
        checkMessage(
                argument, assertThrows(NullPointerException.class, misuse::call, () -> argument + " must not be null"));
    }

    private static void checkMessage(String what, Exception thrown) {
        String message = String.valueOf(thrown.getMessage());
        assertTrue(message.contains(what), () -> "names " + what + ": " + message);
    }

    @Test
    void missingArgumentsAreNamed() {
        RateLimiter limiter = limiter(CAPACITY);
        Asked listener = new Asked(limiter, time, 1);
        checkMissing("listener", () -> limiter.acquire(1, missing()));
        checkMissing("listener", () -> limiter.acquire(1, PERIOD, missing()));
        checkMissing("maxWait", () -> limiter.acquire(1, ContractNulls.<Duration>missing(), listener));
        checkMissing("maxWait", () -> answer(limiter.acquireWithin(1, missing())));
        checkMissing("duration", () -> {
            limiter.pauseFor(missing());
            return 0;
        });
        checkMissing("limit", () -> {
            limiter.reconfigure(missing());
            return 0;
        });
        assertTrue(limiter.tryAcquire(CAPACITY).isAcquired(), "nothing was taken");
    }

    @Test
    void missingSettingsAreNamed() {
        checkMissing("limit", () -> RateLimiter.builder(missing()));
        checkMissing("name", () -> limiter(1, settings -> settings.name(missing())));
        checkMissing("order", () -> limiter(1, settings -> settings.queueOrder(missing())));
        checkMissing("maxWait", () -> limiter(1, settings -> settings.maxWait(missing())));
        checkMissing("timeSource", () -> limiter(1, settings -> settings.timeSource(missing())));
        checkMissing("observer", () -> limiter(1, settings -> settings.observer(missing())));
    }

    @SuppressWarnings("TypeParameterUnusedInFormals")
    private static <T> T missing() {
        return ContractNulls.missing();
    }

    @Test
    void settingsThatCannotBeAreRefusedByNumber() {
        checkNames("-1", () -> limiter(1, settings -> settings.queueLimit(-1)));
        Duration negative = Duration.ofSeconds(-3);
        checkNames(negative.toString(), () -> limiter(1, settings -> settings.maxWait(negative)));
    }

    @Test
    void negativeDurationsAreRefusedByValue() {
        RateLimiter limiter = limiter(CAPACITY);
        Duration negative = Duration.ofSeconds(-3);
        checkNames(negative.toString(), () -> limiter.acquire(1, negative, new Asked(limiter, time, 1)));
        checkNames(negative.toString(), () -> answer(limiter.acquireWithin(1, negative)));
        checkNames(negative.toString(), () -> {
            limiter.pauseFor(negative);
            return 0;
        });
        take(limiter, 1);
    }

    @Test
    void durationsWithoutEndAreAccepted() {
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
        RateLimiter limiter = limiter(1, settings -> settings.maxWait(endless));
        exhaust(limiter);
        Asked waiting = ask(limiter, 1, endless);
        waiting.checkWaits();
        refill();
        waiting.checkGranted();
        limiter.pauseFor(endless);
        assertTrue(!limiter.tryAcquire(1).isAcquired());
    }

    @Test
    void theNameIsTheOneSetOrElseTheLimitInWords() {
        assertEquals(
                "search-api",
                limiter(1, settings -> settings.name("search-api")).name());
        assertEquals(
                subject.limit(CAPACITY, PERIOD).toString(), limiter(CAPACITY).name());
        assertEquals(subject.limit(CAPACITY, PERIOD), limiter(CAPACITY).limit());
    }
}
