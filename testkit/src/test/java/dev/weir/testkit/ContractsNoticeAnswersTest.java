package dev.weir.testkit;

import static dev.weir.testkit.FaultySubjects.butFor;
import static dev.weir.testkit.FaultySubjects.made;
import static dev.weir.testkit.FaultySubjects.notices;

import dev.weir.RateLimiter;
import dev.weir.testkit.FaultySubjects.FaultyTime;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.util.concurrent.locks.ReentrantLock;
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
}
