package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Concurrently;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/** What holds for every limit that time refills: its bound, its waits, and that nothing is lost among threads. */
final class LimitLaws {

    private static final int THREADS = 8;
    private static final int REQUESTS_PER_THREAD = 40_000;

    private LimitLaws() {}

    /** So many permits, used at that time. */
    record Use(long at, int permits) {}

    /**
     * Whatever is asked for, and given back later: what is used keeps to the bound, which tells the most for a first and a last
     * instant so far apart. If clocks disagree by a few nanoseconds, intervals are longer by as much.
     */
    static void boundHolds(Limit limit, LongUnaryOperator most) {
        for (long seed = 1; seed <= 3; seed++) {
            for (long origin : PolicyTraces.ORIGINS) {
                for (int skew = 0; skew <= 2; skew += 2) {
                    String trace = limit + " from " + origin + ", seed " + seed + ", skew " + skew;
                    assertBound(greedyTrace(limit, origin, seed, skew), most, skew, trace);
                }
            }
        }
    }

    private static void assertBound(List<Use> uses, LongUnaryOperator most, int skew, String trace) {
        for (int first = 0; first < uses.size(); first++) {
            long sum = 0;
            long atMost = 0;
            for (int last = first; last < uses.size(); last++) {
                sum += uses.get(last).permits();
                if (sum > atMost) {
                    long apart = uses.get(last).at() - uses.get(first).at();
                    atMost = most.applyAsLong(apart + skew);
                    assertThat(sum)
                            .as("%s, within %s, from use %s to %s", trace, apart, first, last)
                            .isLessThanOrEqualTo(atMost);
                }
            }
        }
    }

    /** Somebody who always wants a permit gets as many as the bound says within every stretch that begins with a burst. */
    static void boundIsReached(Limit limit, LongUnaryOperator most) {
        List<Use> uses = PolicyTraces.saturated(limit, Long.MIN_VALUE, Math.min(limit.capacity(), 2000) + 200).stream()
                .map(at -> new Use(at, 1))
                .toList();
        for (Use use : uses.subList(uses.size() - 200, uses.size() - 100)) {
            assertThat(mostWithin(uses, use.at()))
                    .as(limit + " within " + use.at())
                    .isEqualTo(most.applyAsLong(use.at()));
        }
    }

    private static List<Use> greedyTrace(Limit limit, long origin, long seed, int skew) {
        SplittableRandom random = new SplittableRandom(seed);
        PermitPolicy policy = limit.newPolicy(origin);
        List<Use> uses = new ArrayList<>();
        long at = 0;
        for (int step = 0; step < 300 && at < 1L << 60; step++) {
            int permits = 1 + random.nextInt(random.nextBoolean() ? Math.min(3, limit.capacity()) : limit.capacity());
            long asked = Math.max(0, at - (random.nextInt(4) == 0 ? random.nextInt(skew + 1) : 0));
            long wait = policy.tryTake(permits, origin + asked);
            if (wait == PermitPolicy.TAKEN) {
                uses.add(new Use(asked, permits));
            } else if (!uses.isEmpty() && random.nextInt(4) == 0) {
                Use given = uses.remove(random.nextInt(Math.max(0, uses.size() - 3), uses.size()));
                policy.giveBack(given.permits(), origin + given.at(), origin + at);
            } else if (!uses.isEmpty() && random.nextInt(4) == 0) {
                int settled = random.nextInt(Math.max(0, uses.size() - 20), uses.size());
                Use estimate = uses.get(settled);
                Use actual = new Use(estimate.at(), random.nextInt(estimate.permits() + 1));
                policy.settle(estimate.permits(), actual.permits(), false, origin + estimate.at(), origin + at);
                uses.set(settled, actual);
            } else {
                at += random.nextInt(5) == 0 ? random.nextLong(2 * wait) : Math.max(0, asked + wait - at);
            }
            at += random.nextInt(10) == 0 ? random.nextLong(1L << random.nextInt(34)) : 0;
        }
        uses.sort(Comparator.comparingLong(Use::at));
        return uses;
    }

    /** Waits are exact: after as many nanoseconds the same request passes, alone; after one less it does not. */
    static void waitsAreExact(Limit limit) {
        for (long seed = 1; seed <= 3; seed++) {
            for (long origin : PolicyTraces.ORIGINS) {
                SplittableRandom random = new SplittableRandom(seed);
                PermitPolicy policy = limit.newPolicy(origin);
                long now = origin;
                for (int step = 0; step < 300; step++) {
                    int permits = 1 + random.nextInt(limit.capacity());
                    String trace = limit + " from " + origin + ", seed " + seed + ", step " + step;
                    assertThat(policy.nanosUntil(0, 1, now) == 0).as(trace).isEqualTo(policy.available(now) > 0);
                    long wait = policy.tryTake(permits, now);
                    if (wait != PermitPolicy.TAKEN) {
                        assertThat(wait).as(trace).isPositive();
                        assertThat(policy.nanosUntil(0, permits, now)).as(trace).isEqualTo(wait);
                        assertThat(policy.tryTake(permits, now + wait - 1))
                                .as(trace)
                                .isEqualTo(1);
                        now += wait;
                        assertThat(policy.tryTake(permits, now)).as(trace).isEqualTo(PermitPolicy.TAKEN);
                    }
                    if (random.nextInt(20) == 0) {
                        policy.charge(1 + random.nextInt(3 * Math.min(limit.capacity(), 100)), now);
                    }
                    long untilFull = policy.nanosUntilFull(now);
                    if (random.nextInt(20) == 0 && untilFull > 0) {
                        assertThat(policy.nanosUntilFull(now + untilFull - 1))
                                .as(trace)
                                .isEqualTo(1);
                        now += untilFull;
                        assertThat(policy.nanosUntilFull(now)).as(trace).isZero();
                        assertThat(policy.nanosSinceFull(now + 17)).as(trace).isEqualTo(17);
                        now += random.nextInt(1000);
                    }
                }
            }
        }
    }

    /** Eight threads on clocks that overtake each other: the bound holds over what they used, and hardly anything is left. */
    static void holdsAmongThreads(Limit limit, long nanosBetweenRequests, int percent, LongUnaryOperator most) {
        List<Use> uses = sumHoldsAmongThreads(limit, nanosBetweenRequests, percent, most);
        for (long apart = THREADS * REQUESTS_PER_THREAD * nanosBetweenRequests; apart > 0; apart /= 3) {
            assertThat(mostWithin(uses, apart))
                    .as(limit + " within " + apart)
                    .isLessThanOrEqualTo(most.applyAsLong(apart));
        }
    }

    /**
     * The same for limits that count a thread whose clock is late in the window that others have begun: the sum holds. Returns
     * what they used.
     */
    static List<Use> sumHoldsAmongThreads(Limit limit, long nanosBetweenRequests, int percent, LongUnaryOperator most) {
        PermitPolicy policy = limit.newPolicy(Long.MAX_VALUE - 1000);
        AtomicLong clock = new AtomicLong(0);
        List<Use> uses = join(Concurrently.ask(
                THREADS, thread -> hammer(policy, clock, nanosBetweenRequests, Long.MAX_VALUE - 1000)));
        assertTotal(limit, uses, percent, most.applyAsLong(clock.get()));
        conservesAmongThreads(limit);
        return uses;
    }

    /**
     * The same, exactly, for limits whose windows begin at least a window apart, and grant no more than the capacity each: that,
     * times as many as fit. Where they begin at multiples of their length from the origin, those who asked in one may have got
     * more, as a thread that is late counts in a later one; but by then a thread has no other request under way.
     */
    static void eachWindowHoldsAmongThreads(Limit limit, long windowNanos, long origin, boolean atMultiples) {
        long between = windowNanos / (10L * limit.capacity());
        long windows = (long) THREADS * REQUESTS_PER_THREAD * between / windowNanos;
        PermitPolicy policy = limit.newPolicy(origin);
        AtomicLong clock = new AtomicLong(-between);
        List<Use> uses = join(Concurrently.ask(THREADS, thread -> hammer(policy, clock, between, origin)));
        assertTotal(limit, uses, 98, limit.capacity() * windows);
        for (long window = 0; window < windows && atMultiples; window++) {
            long number = window;
            assertThat(uses.stream().filter(use -> use.at() / windowNanos == number))
                    .as("used of " + limit + " in window " + number)
                    .hasSizeLessThan(limit.capacity() + THREADS);
        }
        conservesAmongThreads(limit);
    }

    /** While another thread never stops replacing the limit by the same one, no permit is forgotten. */
    static void sumHoldsWhileReconfigured(Limit limit, long nanosBetweenRequests, LongUnaryOperator most) {
        PermitPolicy policy = limit.newPolicy(-1000);
        AtomicLong clock = new AtomicLong(0);
        AtomicInteger hammering = new AtomicInteger(THREADS - 1);
        List<Use> uses = join(Concurrently.ask(THREADS, thread -> {
            if (thread > 0) {
                List<Use> taken = hammer(policy, clock, nanosBetweenRequests, -1000);
                hammering.decrementAndGet();
                return taken;
            }
            while (hammering.get() > 0) {
                policy.reconfigure(limit, clock.get() - 1000);
                Thread.onSpinWait();
            }
            return List.of();
        }));
        assertTotal(limit, uses, 1, most.applyAsLong(clock.get()));
    }

    private static void assertTotal(Limit limit, List<Use> uses, int percent, long most) {
        long total = uses.stream().mapToLong(Use::permits).sum();
        assertThat(total).as("used of " + limit).isBetween(most * percent / 100, most);
    }

    private static List<Use> join(List<List<Use>> parts) {
        return parts.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingLong(Use::at))
                .toList();
    }

    private static List<Use> hammer(PermitPolicy policy, AtomicLong clock, long between, long origin) {
        List<Use> uses = new ArrayList<>();
        for (int request = 0; request < REQUESTS_PER_THREAD; request++) {
            long at = clock.addAndGet(between);
            if (policy.tryTake(1, origin + at) == PermitPolicy.TAKEN) {
                uses.add(new Use(at, 1));
            }
        }
        return uses;
    }

    /** While the clock stands still, whatever eight threads take, charge and give back is accounted for. */
    private static void conservesAmongThreads(Limit limit) {
        PermitPolicy policy = limit.newPolicy(Long.MAX_VALUE);
        long before = policy.available(Long.MAX_VALUE);
        long out = 0;
        for (long part : Concurrently.ask(THREADS, thread -> takenAndKept(policy, limit.capacity(), thread))) {
            out += part;
        }
        assertThat(policy.available(Long.MAX_VALUE)).as("left of " + limit).isEqualTo(before - out);
    }

    private static long takenAndKept(PermitPolicy policy, int capacity, int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        long out = 0;
        for (int request = 0; request < 10_000; request++) {
            int permits = 1 + random.nextInt(Math.min(capacity, 10));
            if (policy.tryTake(permits, Long.MAX_VALUE) == PermitPolicy.TAKEN) {
                int returned = random.nextInt(10) == 0 ? 0 : permits;
                policy.giveBack(returned, Long.MAX_VALUE, Long.MAX_VALUE);
                out += permits - returned;
            } else if (random.nextInt(100) == 0) {
                policy.charge(permits, Long.MAX_VALUE);
                policy.giveBack(permits, Long.MAX_VALUE, Long.MAX_VALUE);
            }
        }
        return out;
    }

    /** An oracle of its own, and not {@code EmissionTimes}: that is held against limits that are held against this. */
    static long mostWithin(List<Use> sorted, long apart) {
        long most = 0;
        long sum = 0;
        int first = 0;
        for (Use last : sorted) {
            sum += last.permits();
            while (last.at() - sorted.get(first).at() > apart) {
                sum -= sorted.get(first++).permits();
            }
            most = Math.max(most, sum);
        }
        return most;
    }
}
