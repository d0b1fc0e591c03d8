package dev.weir.testkit;

import static dev.weir.testkit.FaultySubjects.butFor;
import static dev.weir.testkit.FaultySubjects.made;
import static dev.weir.testkit.FaultySubjects.notices;

import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.FaultySubjects.Faulty;
import dev.weir.testkit.FaultySubjects.FaultyTime;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Contracts that are held against limiters that decide as they should, but tell their answers wrongly. */
class ContractsNoticeAnswersTest {

    @Test
    @DisplayName("a limiter that tells listeners and observers while it holds a lock, whoever is told and when")
    void tellsUnderALock() {
        notices(new ListenerContract(locked(), 0) {}::anotherThreadMayAskMeanwhile);
        notices(new ObserverContract(locked(), 0) {}::anotherThreadMayAskMeanwhile);
    }

    @Test
    @DisplayName("a limiter that serves nobody when the head of the queue leaves")
    void servesNobodyAtACancel() {
        AtomicBoolean cancelling = new AtomicBoolean();
        ContractSubject subject = made(
                FaultySubjects::bucketOf,
                builder -> markingCancels(cancelling)
                        .apply(builder.policies((limit, key, nowNanos) ->
                                new NothingMeanwhile(limit.newPolicy(nowNanos), cancelling))));
        notices(new CancelContract(subject, 0) {}::wakesWhoeverCanGoNow);
        notices(new CancelContract(subject, 0) {}::wakesWhoeverCanGoNowInTheOtherOrderToo);
    }

    @Test
    @DisplayName("a limiter that keeps the timer of the head of the queue when that leaves")
    void keepsTheTimerAtACancel() {
        AtomicBoolean cancelling = new AtomicBoolean();
        ContractSubject subject = made(FaultySubjects::bucketOf, builder -> {
            RateLimiter.Builder marking = markingCancels(cancelling).apply(builder);
            return butFor(
                    RateLimiter.Builder.class,
                    marking,
                    "timeSource",
                    arguments -> marking.timeSource(new KeptTimers((TimeSource) arguments[0], cancelling)));
        });
        notices(new ScheduleContract(subject, 0) {}::whoLeavesAtOnceDelaysNobodyInEitherOrder);
    }

    @Test
    @DisplayName(
            "a limiter that neither counts a refusal nor tells observers of it: at the bound, in a pause, by a change")
    void keepsRefusalsToItself() {
        ContractSubject atTheBound = silentAbout(RefusalReason.MAX_WAIT);
        notices(new MaxWaitContract(atTheBound, 0) {}::newestFirstNobodyIsAhead);
        notices(new ObserverContract(atTheBound, 0) {}::hearOfRefusalsAtTheBoundAndInAPause);
        ContractSubject inAPause = silentAbout(RefusalReason.PAUSED);
        notices(new ObserverContract(inAPause, 0) {}::hearOfRefusalsAtTheBoundAndInAPause);
        ContractSubject byAChange = silentAbout(RefusalReason.EXHAUSTED);
        notices(new ReconfigureContract(byAChange, 0) {}::whoIsLargerThanTheNewLimitIsRefused);
    }

    @Test
    @DisplayName("a limiter that does not tell observers of what is consumed")
    void keepsToItselfWhatIsConsumed() {
        ContractSubject subject = made(FaultySubjects::bucketOf, builder -> {
            RateLimiter unobserved = builder.build();
            return butFor("tryConsume", (limiter, arguments) -> unobserved.tryConsume((int) arguments[0]))
                    .apply(builder);
        });
        notices(new ObserverContract(subject, 0) {}::hearOfWhatIsConsumed);
    }

    @Test
    @DisplayName("a closed limiter that merely says no to who consumes")
    void consumesThoughClosed() {
        AtomicBoolean closed = new AtomicBoolean();
        UnaryOperator<RateLimiter.Builder> closing = butFor("close", (limiter, arguments) -> {
            closed.set(true);
            limiter.close();
            return null;
        });
        UnaryOperator<RateLimiter.Builder> fault =
                butFor("tryConsume", (limiter, arguments) -> !closed.get() && limiter.tryConsume((int) arguments[0]));
        ContractSubject subject = made(FaultySubjects::bucketOf, builder -> fault.apply(closing.apply(builder)));
        notices(new CloseContract(subject, 0) {}::laterCallsThrow);
    }

    /** Limiters that leave refusals for one reason out of what they count and tell. */
    private static ContractSubject silentAbout(RefusalReason reason) {
        return made(FaultySubjects::bucketOf, builder -> {
            OtherRefusals others = new OtherRefusals(reason);
            builder.observer(others);
            RateLimiter.Builder observed = butFor(
                    RateLimiter.Builder.class,
                    builder,
                    "observer",
                    arguments -> builder.observer(others.toldTo((RateLimiterObserver) arguments[0])));
            return butFor("statistics", (limiter, arguments) -> others.in(limiter.statistics()))
                    .apply(observed);
        });
    }

    /** Builds limiters that tell whether a request is just being cancelled. */
    private static UnaryOperator<RateLimiter.Builder> markingCancels(AtomicBoolean cancelling) {
        return butFor("acquire", (limiter, arguments) -> {
            PermitRequest request = limiter.acquire((int) arguments[0], (PermitListener) arguments[1]);
            return butFor(PermitRequest.class, request, "cancel", unused -> {
                cancelling.set(true);
                try {
                    return request.cancel();
                } finally {
                    cancelling.set(false);
                }
            });
        });
    }

    /** Limiters of which each call and each timer holds one lock, listeners and observers included. */
    private static ContractSubject locked() {
        return made(FaultySubjects::bucketOf, builder -> {
            ReentrantLock lock = new ReentrantLock();
            RateLimiter.Builder lockedTimers = butFor(
                    RateLimiter.Builder.class,
                    builder,
                    "timeSource",
                    arguments -> builder.timeSource(lockedTimers((TimeSource) arguments[0], lock)));
            return butFor(
                    RateLimiter.Builder.class, lockedTimers, "build", unused -> locked(lockedTimers.build(), lock));
        });
    }

    private static TimeSource lockedTimers(TimeSource time, ReentrantLock lock) {
        return new FaultyTime(
                time,
                (clock, task, delayNanos) -> clock.schedule(
                        () -> {
                            lock.lock();
                            try {
                                task.run();
                            } finally {
                                lock.unlock();
                            }
                        },
                        delayNanos));
    }

    /** A thread that would have to wait for the lock fails instead, so that this test does not wait for it. */
    private static RateLimiter locked(RateLimiter limiter, ReentrantLock lock) {
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (!lock.tryLock()) {
                        throw new IllegalStateException("another thread holds the lock");
                    }
                    try {
                        return method.invoke(limiter, arguments);
                    } finally {
                        lock.unlock();
                    }
                });
    }

    private static final class NothingMeanwhile extends Faulty {

        private final AtomicBoolean cancelling;

        NothingMeanwhile(PermitPolicy policy, AtomicBoolean cancelling) {
            super(policy);
            this.cancelling = cancelling;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            return cancelling.get() ? LimiterContract.PERIOD_NANOS : super.tryTake(permits, nowNanos);
        }
    }

    /** One timer of a limiter, which is not set anew while a request is being cancelled: it does then what was to be done sooner. */
    private static final class KeptTimers implements TimeSource {

        private final TimeSource time;
        private final AtomicBoolean cancelling;
        private Runnable atTheTimer = () -> {};

        KeptTimers(TimeSource time, AtomicBoolean cancelling) {
            this.time = time;
            this.cancelling = cancelling;
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            atTheTimer = task;
            if (cancelling.get()) {
                return () -> {};
            }
            Cancellable timer = time.schedule(() -> atTheTimer.run(), delayNanos);
            return () -> {
                if (!cancelling.get()) {
                    timer.cancel();
                }
            };
        }
    }

    /** Tells another observer of everything but refusals for one reason. */
    private static final class OtherRefusals implements RateLimiterObserver {

        private final RefusalReason untold;
        private RateLimiterObserver observer = new RateLimiterObserver() {};
        private int leftOut;

        OtherRefusals(RefusalReason untold) {
            this.untold = untold;
        }

        OtherRefusals toldTo(RateLimiterObserver told) {
            observer = told;
            return this;
        }

        RateLimiterStatistics in(RateLimiterStatistics all) {
            return new RateLimiterStatistics(
                    all.available(), all.queuedPermits(), all.acquired(), all.refused() - leftOut);
        }

        @Override
        public void onRefused(int permits, RefusalReason reason) {
            if (reason == untold) {
                leftOut++;
            } else {
                observer.onRefused(permits, reason);
            }
        }

        @Override
        public void onAcquired(int permits, long waitedNanos) {
            observer.onAcquired(permits, waitedNanos);
        }

        @Override
        public void onQueued(int permits) {
            observer.onQueued(permits);
        }

        @Override
        public void onCancelled(int permits, long waitedNanos) {
            observer.onCancelled(permits, waitedNanos);
        }
    }
}
