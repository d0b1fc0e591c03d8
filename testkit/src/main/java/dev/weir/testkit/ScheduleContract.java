package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests, for permits that return by time, that a waiting request is granted at the very instant that the limit's policy allows,
 * and that no interval sees more than {@link ContractSubject#mostIn} says.
 */
public abstract class ScheduleContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ScheduleContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private static final int REQUESTS = 300;

    @Test
    void firstComeFirstServedAtTheFirstLegalInstant() {
        Seeds.each(20, seed -> run(new Random(seed)));
    }

    /** Makes requests of random size at random times; an equal policy, asked in sequence, gives the expected grant times. */
    private void run(Random random) {
        RateLimiter limiter = limiter(1 + random.nextInt(8));
        PermitPolicy arithmetic = limiter.limit().newPolicy(time.nanoTime());
        long begin = time.nanoTime();
        long free = 0;
        List<Asked> requests = new ArrayList<>();
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            long arrival = time.nanoTime() - begin;
            int permits = 1 + random.nextInt(limiter.limit().capacity());
            requests.add(ask(limiter, permits));
            free = firstLegal(arithmetic, permits, begin, Math.max(free, arrival));
            waits.add(free - arrival);
            advanceNanos(random.nextInt(10) == 0 ? random.nextLong(9 * PERIOD_NANOS) : random.nextLong(PERIOD_NANOS));
            checkAtMostOneTimerIsPending();
        }
        time.advanceBy(PERIOD.multipliedBy(2 * REQUESTS));
        for (int i = 0; i < REQUESTS; i++) {
            requests.get(i).checkGrantedAfter(Duration.ofNanos(waits.get(i)));
        }
        checkNoTimerIsPending();
        checkBound(limiter.limit().capacity(), requests);
    }

    private void checkBound(int capacity, List<Asked> requests) {
        EmissionTimes grants = EmissionTimes.of();
        requests.forEach(request -> request.enter(grants));
        for (Duration interval : List.of(NANO, PERIOD.dividedBy(3), PERIOD, PERIOD.multipliedBy(3))) {
            long most = subject.mostIn(capacity, PERIOD, interval);
            int granted = grants.mostIn(interval);
            assertTrue(
                    granted <= most, () -> granted + " of " + capacity + " permits within " + interval + ": " + grants);
        }
    }

    private static long firstLegal(PermitPolicy arithmetic, int permits, long begin, long from) {
        long at = from;
        for (long wait = arithmetic.tryTake(permits, begin + at);
                wait != PermitPolicy.TAKEN;
                wait = arithmetic.tryTake(permits, begin + at)) {
            at += wait;
        }
        return at;
    }

    @Test
    void whoLeavesAtOnceDelaysNobodyInEitherOrder() {
        for (QueueOrder order : QueueOrder.values()) {
            Seeds.each(5, seed -> runWithSomeWhoLeave(order, new Random(seed)));
        }
    }

    /** Makes large requests before and after each other one, and cancels them; a twin has the others only. */
    private void runWithSomeWhoLeave(QueueOrder order, Random random) {
        RateLimiter limiter = limiter(5, settings -> settings.queueOrder(order));
        RateLimiter twin = limiter(5, settings -> settings.queueOrder(order));
        List<Asked> requests = new ArrayList<>();
        List<Asked> ofTwin = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int permits = 1 + random.nextInt(3);
            List<Asked> leaving = new ArrayList<>();
            askForMoreThanThereIs(limiter, leaving);
            requests.add(ask(limiter, permits));
            ofTwin.add(ask(twin, permits));
            askForMoreThanThereIs(limiter, leaving);
            leaving.forEach(request -> assertTrue(request.cancel(), "cancelled"));
            advanceNanos(random.nextLong(PERIOD_NANOS));
        }
        time.advanceBy(PERIOD.multipliedBy(100));
        for (int i = 0; i < 100; i++) {
            requests.get(i).checkGrantedAfter(ofTwin.get(i).waited());
        }
    }

    private void askForMoreThanThereIs(RateLimiter limiter, List<Asked> requests) {
        int capacity = limiter.limit().capacity();
        if (limiter.availablePermits() < capacity) {
            requests.add(askAndWait(limiter, capacity));
        }
    }

    @Test
    void saturatedTheRateIsTheLimit() {
        RateLimiter limiter = limiter(3);
        EmissionTimes grants = EmissionTimes.record(time);
        for (int i = 0; i < 400; i++) {
            limiter.acquire(1, lease -> grants.add());
        }
        time.advanceBy(PERIOD.multipliedBy(99).minus(NANO));
        assertTrue(grants.count() < 300, () -> grants.count() + " is too many before the end of 99 periods");
        time.advanceBy(NANO);
        assertEquals(300, grants.count(), "3 at once and 3 in each of 99 periods");
        assertEquals(100, limiter.statistics().queuedPermits(), "the rest waits");
    }

    @Test
    void theScheduleOfSinglesEqualsThatOfAllAtOnce() {
        RateLimiter singles = limiter(4);
        RateLimiter atOnce = limiter(4);
        exhaust(singles);
        exhaust(atOnce);
        List<Asked> four = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            four.add(askAndWait(singles, 1));
        }
        Asked all = askAndWait(atOnce, 4);
        time.advanceBy(PERIOD);
        all.checkGrantedAfter(PERIOD);
        four.get(3).checkGrantedAfter(PERIOD);
    }

    @Test
    void whoWaitsForZeroGoesWithTheFirstPermitThoughMoreIsWaitedFor() {
        RateLimiter limiter = limiter(2);
        take(limiter, 1);
        advanceNanos(PERIOD_NANOS / 4);
        exhaust(limiter);
        askAndWait(limiter, 2);
        Asked waiting = askAndWait(limiter, 0);
        for (int quarter = 1; quarter <= 8; quarter++) {
            advanceNanos(PERIOD_NANOS / 4);
            long available = limiter.availablePermits();
            assertTrue(waiting.isAnswered() || available <= 0, () -> waiting + ", but " + available + " available");
        }
        waiting.checkGranted();
    }
}
