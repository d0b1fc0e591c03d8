package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests to chains with members in common that are made at the same time, as on a clock that hardly moves. */
class ChainTiesTest {

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE);
    private final List<Integer> granted = new ArrayList<>();

    private RateLimiter slots(int permits) {
        return RateLimiter.builder(Limit.concurrency(permits)).timeSource(time).build();
    }

    @Test
    @DisplayName("go in the order in which they were made, whichever member each of them asks first")
    void inOrder() {
        RateLimiter a = slots(1);
        RateLimiter b = slots(1);
        RateLimiter there = RateLimiter.chain(a, b);
        RateLimiter back = RateLimiter.chain(b, a);
        List<Lease> held = new ArrayList<>(List.of(there.tryAcquire()));
        List<RateLimiter> asked = List.of(there, there, back, there);
        for (int i = 0; i < asked.size(); i++) {
            int number = i;
            asked.get(i).acquire(1, lease -> {
                granted.add(number);
                held.add(lease);
            });
        }
        for (int i = 0; i < asked.size(); i++) {
            held.get(i).close();
        }
        assertThat(granted).containsExactly(0, 1, 2, 3);
    }

    @Test
    @DisplayName("go before one that was made after them at a member alone, and behind one that was made before")
    void besideThoseAlone() {
        RateLimiter a = slots(1);
        RateLimiter b = slots(1);
        Lease heldOfA = a.tryAcquire();
        Lease heldOfB = b.tryAcquire();
        a.acquire(1, lease -> goesOn(0, lease));
        RateLimiter.chain(b, a).acquire(1, lease -> goesOn(1, lease));
        a.acquire(1, lease -> goesOn(2, lease));
        heldOfB.close();
        heldOfA.close();
        assertThat(granted).containsExactly(0, 1, 2);
    }

    private void goesOn(int number, Lease lease) {
        granted.add(number);
        lease.close();
    }

    @Test
    @DisplayName("do not wait for a later one that asks for more than there is")
    void notBehindALaterOne() {
        RateLimiter a = slots(3);
        RateLimiter b = slots(3);
        RateLimiter there = RateLimiter.chain(a, b);
        RateLimiter back = RateLimiter.chain(b, a);
        Lease held = there.tryAcquire(3);
        there.acquire(2, lease -> granted.add(2));
        there.acquire(1, lease -> granted.add(1));
        back.acquire(2, lease -> granted.add(-2));
        held.close();
        time.advanceBy(Duration.ofDays(1));
        assertThat(granted).containsExactly(2, 1);
        assertThat(a.availablePermits()).isZero();
        assertThat(b.availablePermits()).isZero();
    }
}
