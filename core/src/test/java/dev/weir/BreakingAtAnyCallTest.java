package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.handle.Caught;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A policy or a time that throws once, at whichever of its calls, whatever it throws: even a checked exception, which other languages
 * let pass undeclared.
 */
class BreakingAtAnyCallTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private Throwable thrown = new AssertionError("none");
    private int callsLeft;
    private int answers;

    /** Where the limit that breaks stands. */
    enum Place {
        ALONE {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                return RateLimiter.builder(own).timeSource(time).build();
            }
        },
        BOUNDED {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                Duration longest = SECOND.multipliedBy(60);
                return RateLimiter.builder(own)
                        .timeSource(time)
                        .maxWait(longest)
                        .build();
            }
        },
        NEWEST_FIRST {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                return RateLimiter.builder(own)
                        .timeSource(time)
                        .queueOrder(QueueOrder.NEWEST_FIRST)
                        .build();
            }
        },
        AMONG_OTHERS {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                return ALONE.of(Limit.allOf(Limit.of(50, SECOND), own.countingCalls()), time);
            }
        },
        OF_A_KEY {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                return PartitionedRateLimiter.<String>builder(key -> own)
                        .timeSource(time)
                        .build()
                        .forKey("a");
            }
        },
        IN_A_CHAIN {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                return RateLimiter.chain(ALONE.of(own, time), ALONE.of(Limit.of(50, SECOND), time));
            }
        },
        IN_A_CHAIN_WITH_ANOTHER_CLOCK {
            @Override
            RateLimiter of(Limit own, TimeSource time) {
                TimeSource another = new DelegatingTime(time) {};
                return RateLimiter.chain(ALONE.of(Limit.of(50, SECOND), another), ALONE.of(own, time));
            }
        };

        abstract RateLimiter of(Limit own, TimeSource time);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("each request is answered once, or throws; nobody waits for good, and who comes later is served")
    void answersAll(Place place) {
        for (Throwable each : List.of(new IllegalStateException(), new AssertionError(), new IOException())) {
            thrown = each;
            int call = 1;
            while (breaksAtCall(call, place)) {
                call++;
            }
            assertThat(call).as("calls").isGreaterThan(20);
        }
    }

    /** Returns whether there were so many calls. */
    private boolean breaksAtCall(int call, Place place) {
        RateLimiter limiter = place.of(new Own(), timeThatBreaks());
        answers = 0;
        callsLeft = call;
        List<PermitRequest> asked = new ArrayList<>();
        int requests = 7;
        int threw = 0;
        for (int i = 0; i < requests; i++) {
            threw += throwsIfBroken(() -> asked.add(limiter.acquire(1, lease -> answers++))) ? 1 : 0;
        }
        PermitRequest leaving = asked.get(4);
        boolean hasLeft = !leaving.isSettled();
        throwsIfBroken(leaving::cancel);
        for (int seconds = 0; seconds < 10; seconds++) {
            throwsIfBroken(() -> time.advanceBy(SECOND));
        }
        String what = String.format("%s at call %d, %s", thrown, call, place);
        assertThat(answers + threw + (hasLeft ? 1 : 0)).as(what).isEqualTo(requests);
        return wasBroken(limiter, what);
    }

    private boolean wasBroken(RateLimiter limiter, String what) {
        boolean wasBroken = callsLeft <= 0;
        callsLeft = 0;
        assertThat(limiter.statistics().queuedPermits()).as(what).isZero();
        List<Lease> later = new ArrayList<>();
        limiter.acquire(1, later::add);
        assertThat(later).as(what).singleElement().matches(Lease::isAcquired);
        return wasBroken;
    }

    private boolean throwsIfBroken(ThrowingCallable call) {
        Throwable caught = catchThrowable(call);
        assertThat(caught).isIn(null, thrown);
        return caught != null;
    }

    private void maybeBreak() {
        if (callsLeft > 0 && --callsLeft == 0) {
            Caught.rethrow(thrown);
        }
    }

    private TimeSource timeThatBreaks() {
        return new TimeSource() {
            @Override
            public long nanoTime() {
                maybeBreak();
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                maybeBreak();
                return time.schedule(task, delayNanos);
            }
        };
    }

    /** Two a second. */
    private final class Own implements Limit {

        @Override
        public int capacity() {
            return 2;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return new BreakingPolicy(Limit.of(2, SECOND).newPolicy(nowNanos), BreakingAtAnyCallTest.this::maybeBreak);
        }
    }
}
