package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limit.Limit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one member of a chain throws keeps none of the permits of the others. */
class ChainOfBreakingMembersTest {

    private final SteppedTime time = new SteppedTime(-7);
    private final RateLimiter first = slots();
    private final RateLimiter second = slots();
    private final RateLimiter third = slots();

    /** Methods of the first member, its leases and requests, that throw when they have done what they are to do. */
    private final Set<String> breaking = new HashSet<>();

    private final RateLimiter chain = RateLimiter.chain(breaking(RateLimiter.class, first), second, third);

    private RateLimiter slots() {
        return RateLimiter.builder(Limit.concurrency(2)).timeSource(time).build();
    }

    private <T> T breaking(Class<T> face, T target) {
        return face.cast(Proxy.newProxyInstance(
                face.getClassLoader(), new Class<?>[] {face}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire") && arguments[1] instanceof PermitListener listener) {
                        arguments[1] = (PermitListener) lease -> listener.onLease(breaking(Lease.class, lease));
                    }
                    Object answer;
                    try {
                        answer = method.invoke(target, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                    if (breaking.contains(method.getName())) {
                        throw new IllegalStateException("on purpose");
                    }
                    if (answer instanceof Lease lease) {
                        return breaking(Lease.class, lease);
                    }
                    return answer instanceof PermitRequest request ? breaking(PermitRequest.class, request) : answer;
                }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"settle", "close", "giveBack"})
    @DisplayName("a lease goes back to all of them")
    void leaseGoesBack(String method) {
        Lease lease = chain.tryAcquire(2);
        breaking.add(method);
        Consumer<Lease> end = method.equals("settle")
                ? out -> out.settle(0)
                : method.equals("close") ? Lease::close : Lease::giveBack;
        assertThatIllegalStateException().isThrownBy(() -> end.accept(lease)).withMessage("on purpose");
        assertAllIsBack();
    }

    @Test
    @DisplayName("a request that one of them refuses goes back to the others")
    void refused() {
        breaking.add("giveBack");
        Lease out = third.tryAcquire();
        assertThatIllegalStateException().isThrownBy(() -> chain.tryAcquire(2)).withMessage("on purpose");
        out.close();
        assertAllIsBack();
    }

    @Test
    @DisplayName("a request is refused though the one that it waits for cannot tell its name")
    void nameless() {
        first.tryAcquire(2);
        List<Lease> answers = new ArrayList<>();
        chain.acquire(1, Duration.ofNanos(5), answers::add);
        breaking.add("name");
        time.advanceBy(5);
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).reason()).contains(RefusalReason.MAX_WAIT);
    }

    @Test
    @DisplayName("a chain loses no permits if a member throws at giving back, and refuses the request")
    void waiting() {
        breaking.add("giveBack");
        Lease out = third.tryAcquire();
        List<Lease> answers = new ArrayList<>();
        chain.acquire(2, answers::add);
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        out.close();
        assertAllIsBack();
    }

    @Test
    @DisplayName("a request that leaves the queue of a member that throws blocks no later one")
    void leaving() {
        Lease out = first.tryAcquire(2);
        PermitRequest waiting = chain.acquire(1, lease -> {});
        breaking.add("cancel");
        assertThatIllegalStateException().isThrownBy(waiting::cancel).withMessage("on purpose");
        breaking.clear();
        List<Lease> answers = new ArrayList<>();
        chain.acquire(1, answers::add);
        out.close();
        assertThat(answers).hasSize(1);
        answers.get(0).close();
        assertAllIsBack();
    }

    @Test
    @DisplayName("nothing of a closed chain waits at a member that throws, be it for permits or for none")
    void closed() {
        List<Integer> left = new ArrayList<>();
        RateLimiter observed = RateLimiter.builder(Limit.concurrency(2))
                .timeSource(time)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onCancelled(int permits, long waitedNanos) {
                        left.add(permits);
                    }
                })
                .build();
        RateLimiter closing = RateLimiter.chain(breaking(RateLimiter.class, observed), second);
        Lease out = observed.tryAcquire(2);
        List<Lease> answers = new ArrayList<>();
        closing.acquire(1, answers::add);
        closing.acquire(0, answers::add);
        breaking.add("cancel");
        assertThatIllegalStateException().isThrownBy(closing::close).withMessage("on purpose");
        assertThat(answers).extracting(lease -> lease.reason().orElseThrow()).containsOnly(RefusalReason.CLOSED);
        assertThat(left).containsExactly(1, 0);
        out.close();
        assertThat(observed.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("a charge is charged to each member, though one is closed")
    void charged() {
        RateLimiter closed = slots();
        RateLimiter open = RateLimiter.builder(Limit.of(3, Duration.ofSeconds(1)))
                .timeSource(time)
                .build();
        RateLimiter both = RateLimiter.chain(closed, open);
        closed.close();
        assertThatIllegalStateException().isThrownBy(() -> both.charge(1));
        assertThat(open.availablePermits()).isEqualTo(2);
    }

    private void assertAllIsBack() {
        for (RateLimiter member : List.of(first, second, third)) {
            assertThat(member.availablePermits()).isEqualTo(2);
            assertThat(member.statistics().queuedPermits()).isZero();
        }
    }
}
