package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of a chain of which no more is known than their face. */
class ChainOfForeignMembersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final RateLimiter wide = limiter("wide", Limit.of(9, SECOND));
    private final RateLimiter narrow = limiter("narrow", Limit.tokenBucket(3, 1, SECOND));

    private RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }

    @Test
    @DisplayName("a member of somebody else's making is asked by taking and giving back")
    void memberOfAnotherKind() {
        RateLimiter mixed = RateLimiter.chain(wide, new ForeignLimiter(narrow));
        assertThat(mixed.tryAcquire(3).isAcquired()).isTrue();
        assertThat(mixed.tryAcquire(2).retryAfter()).isEqualTo(Optional.of(SECOND.multipliedBy(2)));
        CompletableFuture<Lease> waiting = mixed.acquire(1);
        assertThat(mixed.tryAcquire(1).retryAfter()).isEqualTo(Optional.of(SECOND));
        time.advanceBy(SECOND);
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(wide.availablePermits()).isEqualTo(8);
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    @DisplayName("time is that of a member of this library, also where one of somebody else's making comes first")
    void clockOfOurs(boolean isForeignFirst, boolean isInChain) {
        RateLimiter alone = new ForeignLimiter(wide);
        RateLimiter foreign = isInChain ? RateLimiter.chain(alone) : alone;
        RateLimiter mixed = isForeignFirst ? RateLimiter.chain(foreign, narrow) : RateLimiter.chain(narrow, foreign);
        narrow.tryAcquire(3);
        CompletableFuture<Lease> fits = mixed.acquireWithin(1, SECOND);
        time.advanceBy(SECOND);
        assertThat(fits).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a member of somebody else's making keeps what it had when another refuses")
    void memberOfAnotherKindThatCould() {
        RateLimiter mixed = RateLimiter.chain(narrow, new ForeignLimiter(wide));
        assertThat(mixed.tryAcquire(3).isAcquired()).isTrue();
        assertThat(mixed.tryAcquire(1).retryAfter()).contains(SECOND);
        assertThat(wide.availablePermits()).isEqualTo(6);
    }

    @Test
    @DisplayName(
            "members that give only to those who wait are each waited for, and what they gave is held until all have")
    void givesOnlyToThoseWhoWait() {
        RateLimiter mixed = RateLimiter.chain(shy(narrow), shy(wide));
        assertThat(mixed.acquire(3).join().isAcquired()).isTrue();
        assertThat(narrow.availablePermits()).isZero();
        assertThat(wide.availablePermits()).isEqualTo(6);
        wide.tryAcquire(6);
        CompletableFuture<Lease> waiting = mixed.acquire(1);
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(narrow.availablePermits()).isZero();
        assertThat(wide.availablePermits()).isEqualTo(8);
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("keys that share a limiter unseen, as one is metered, come back for it, and not all the time")
    void meteredKeysThatShareUnseen() {
        Duration period = SECOND.multipliedBy(3);
        PartitionedRateLimiter<Integer> shared = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.of(1, period.multipliedBy(3)))
                .timeSource(time)
                .maximumKeys(1)
                .overflowTo(Limit.of(2, period))
                .build();
        assertThat(shared.tryAcquire(9, 1).isAcquired()).isTrue();
        assertThat(shared.tryAcquire(8, 1).isAcquired()).isTrue();
        CompletableFuture<Lease> both =
                RateLimiter.chain(shared.forKey(1), metered(shared.forKey(2))).acquire();
        time.advanceBy(period.minusNanos(1));
        assertThat(both).isNotDone();
        time.advanceBy(Duration.ofMillis(1));
        assertThat(both).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "a limiter that is asked a second time as it is metered, and has one permit, is asked until that is enough")
    void meteredOneThatIsAskedTwice() {
        RateLimiter one = limiter("one", Limit.of(1, SECOND));
        List<Lease> answers = new ArrayList<>();
        RateLimiter.chain(one, new ForeignLimiter(metered(one))).acquire(1, answers::add);
        time.advanceBy(SECOND);
        assertThat(answers).isEmpty();
        one.reconfigure(Limit.of(2, SECOND));
        time.advanceBy(Duration.ofMillis(1));
        assertThat(answers).extracting(Lease::isAcquired).containsExactly(true);
        assertThat(one.availablePermits()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a member that tells a time beyond all clocks refuses as one that tells none")
    void refusesForEver(boolean forEver) {
        Duration told = forEver ? ChronoUnit.FOREVER.getDuration() : Duration.ofSeconds(Long.MAX_VALUE);
        RateLimiter chain = RateLimiter.chain(wide, exhausted(told, true));
        List<Lease> answers = new ArrayList<>(List.of(chain.tryAcquire(2)));
        chain.acquire(2, answers::add);
        chain.acquire(2, SECOND, answers::add);
        assertThat(answers).hasSize(3).allSatisfy(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
            assertThat(refused.retryAfter()).isEmpty();
            assertThat(refused.refusedAt()).hasValue(1);
        });
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("a request for a member that tells a time beyond all clocks is refused when its own time is up")
    void waitsForEver() {
        RateLimiter chain = RateLimiter.chain(wide, exhausted(ChronoUnit.FOREVER.getDuration(), false));
        List<Lease> answers = new ArrayList<>();
        chain.acquire(2, SECOND, answers::add);
        assertThat(chain.tryAcquire(2).retryAfter()).as("behind it").isEmpty();
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(answers).isEmpty();
        time.advanceBy(1);
        assertThat(answers).singleElement().satisfies(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.retryAfter()).isEmpty();
        });
    }

    /** A limiter without permits that tells a time of its own, and refuses who waits, too, or never answers. */
    private static RateLimiter exhausted(Duration retryAfter, boolean refusesWhoWaits) {
        RateLimiter none = RateLimiter.builder(Limit.concurrency(9)).build();
        none.tryAcquire(9);
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire") && refusesWhoWaits) {
                        Lease refused = telling(retryAfter, none.tryAcquire((int) arguments[0]));
                        ((PermitListener) arguments[1]).onLease(refused);
                        return SettledRequest.INSTANCE;
                    }
                    Object answer = method.invoke(none, arguments);
                    return answer instanceof Lease refused ? telling(retryAfter, refused) : answer;
                });
    }

    private static Lease telling(Duration retryAfter, Lease refused) {
        return (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> method.getName().equals("retryAfter")
                        ? Optional.of(retryAfter)
                        : method.invoke(refused, arguments));
    }

    /** A limiter that hears of each answer before the listener. */
    private static RateLimiter metered(RateLimiter limiter) {
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    Object[] passedOn = arguments == null ? new Object[0] : arguments.clone();
                    int last = passedOn.length - 1;
                    if (last >= 0 && passedOn[last] instanceof PermitListener listener) {
                        passedOn[last] = (PermitListener) lease -> listener.onLease(lease);
                    }
                    return method.invoke(limiter, passedOn);
                });
    }

    /** A limiter that refuses who would not wait. */
    private static RateLimiter shy(RateLimiter limiter) {
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(limiter, arguments);
                    if (answer instanceof Lease lease && lease.isAcquired()) {
                        lease.giveBack();
                        RateLimiter none =
                                RateLimiter.builder(Limit.concurrency(9)).build();
                        none.tryAcquire(9);
                        return none.tryAcquire((int) arguments[0]);
                    }
                    return answer;
                });
    }
}
