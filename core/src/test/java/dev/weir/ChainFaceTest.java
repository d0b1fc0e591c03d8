package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a chain says of itself, and what it does with all its members alike. */
class ChainFaceTest extends ChainOfTwo {

    @Test
    @DisplayName("a chain is named after its members, and has their limits")
    void name() {
        assertThat(chain.name()).isEqualTo("chain(wide, narrow)");
        assertThat(chain).hasToString("RateLimiter[chain(wide, narrow)]");
        assertThat(chain.limit()).isEqualTo(Limit.allOf(wide.limit(), narrow.limit()));
        assertThat(chain.limit()).as("as long as it is the same").isSameAs(chain.limit());
        assertThat(RateLimiter.chain(narrow).limit()).isEqualTo(narrow.limit());
        narrow.reconfigure(Limit.tokenBucket(2, 1, SECOND));
        assertThat(chain.limit()).isEqualTo(Limit.allOf(wide.limit(), Limit.tokenBucket(2, 1, SECOND)));
    }

    @Test
    @DisplayName("each member is there once, be it in a chain: who waits for one twice would wait for itself")
    void eachOnce() {
        PartitionedRateLimiter<String> keyed = PartitionedRateLimiter.of(wide.limit());
        assertThat(RateLimiter.chain(keyed.forKey("a"), keyed.forKey("b"))
                        .tryAcquire()
                        .isAcquired())
                .isTrue();
        for (RateLimiter[] twice : List.of(
                new RateLimiter[] {wide, wide},
                new RateLimiter[] {keyed.forKey("a"), keyed.forKey("a")},
                new RateLimiter[] {chain, narrow},
                new RateLimiter[] {chain, RateLimiter.chain(wide)})) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RateLimiter.chain(twice))
                    .withMessageContaining("twice");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimiter.chain((RateLimiter[]) null))
                .withMessage("limiters");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimiter.chain(wide, null))
                .withMessage("limiters[1]");
    }

    @Test
    @DisplayName("permits are between zero and the least capacity, however they are asked for")
    void permits() {
        for (int wrong : new int[] {-1, 4}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> chain.tryAcquire(wrong))
                    .withMessageContaining("" + wrong);
            assertThatIllegalArgumentException().isThrownBy(() -> chain.acquire(wrong));
            assertThatIllegalArgumentException().isThrownBy(() -> chain.acquire(wrong, lease -> {}));
        }
        assertThat(chain.tryAcquire(0).isAcquired()).isTrue();
        Lease most = chain.tryAcquire(3);
        assertThat(most.isAcquired()).isTrue();
        assertThat(most.permits()).isEqualTo(3);
        assertThat(most.retryAfter()).isEmpty();
        assertThat(most.cause()).isEmpty();
        assertThat(chain.tryAcquire(0).isAcquired()).isFalse();
    }

    @Test
    @DisplayName("a chain is idle since a member was last used, and not while it is paused")
    void idle() {
        time.advanceBy(SECOND);
        assertThat(chain.idleDuration()).contains(SECOND);
        wide.tryAcquire();
        assertThat(chain.idleDuration()).isEmpty();
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(chain.idleDuration()).contains(SECOND.multipliedBy(2));
        chain.pauseFor(SECOND);
        assertThat(chain.idleDuration()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(chain.idleDuration()).isEqualTo(wide.idleDuration());
    }

    @Test
    @DisplayName("a lease is given back as a whole, once, unless it was used; settling corrects each member")
    void leases() {
        Lease given = chain.tryAcquire(2);
        given.giveBack();
        given.giveBack();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(3, 0, 0, 0));
        assertThat(wide.availablePermits()).isEqualTo(9);
        Lease settled = chain.tryAcquire(2);
        assertThatIllegalArgumentException().isThrownBy(() -> settled.settle(-1));
        settled.settle(0);
        assertThat(chain.availablePermits()).isEqualTo(3);
        settled.giveBack();
        assertThat(chain.statistics().acquired()).isEqualTo(1);
        Lease closed = chain.tryAcquire(1);
        closed.close();
        closed.giveBack();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(2, 0, 2, 0));
    }

    @Test
    @DisplayName("a request of a chain can be cancelled, bounded or not, and leaves nothing")
    void requests() {
        chain.tryAcquire(3);
        List<Lease> answers = new ArrayList<>();
        PermitRequest bounded = chain.acquire(1, SECOND.multipliedBy(5), answers::add);
        PermitRequest unbounded = chain.acquire(1, answers::add);
        PermitRequest impatient = chain.acquire(1, Duration.ZERO, answers::add);
        assertThat(impatient.isSettled()).isTrue();
        assertThat(answers).hasSize(1);
        assertThat(bounded.cancel()).isTrue();
        assertThat(unbounded.cancel()).isTrue();
        assertThat(bounded.isSettled()).isTrue();
        time.advanceBy(SECOND.multipliedBy(9));
        assertThat(answers).hasSize(1);
        assertThat(chain.statistics().queuedPermits()).isZero();
        assertThat(wide.availablePermits()).isEqualTo(9);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("closed, it answers nobody any more and leaves its members open")
    void closed() {
        chain.tryAcquire(3);
        List<Lease> answers = new ArrayList<>();
        PermitRequest waiting = chain.acquire(1, answers::add);
        assertThat(waiting.isSettled()).isFalse();
        chain.close();
        assertThat(waiting.isSettled()).isTrue();
        assertThat(answers.get(0).reason()).contains(RefusalReason.CLOSED);
        assertThat(answers.get(0).retryAfter()).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> chain.tryAcquire(1));
        assertThatIllegalStateException().isThrownBy(() -> chain.acquire(1));
        assertThatIllegalStateException().isThrownBy(() -> chain.tryAcquire(-1));
        assertThatIllegalStateException().isThrownBy(() -> chain.reconfigure(Limit.of(2, SECOND)));
        assertThatIllegalStateException().isThrownBy(() -> chain.charge(1));
        assertThatIllegalStateException().isThrownBy(() -> chain.charge(-1));
        assertThatIllegalStateException().isThrownBy(() -> chain.pauseFor(SECOND));
        assertThat(wide.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a member that closes refuses those who wait for good, and nobody can ask any more")
    void closedMember() {
        chain.tryAcquire(3);
        CompletableFuture<Lease> first = chain.acquire(3);
        CompletableFuture<Lease> behind = chain.acquire(1);
        narrow.close();
        for (CompletableFuture<Lease> each : List.of(first, behind)) {
            assertThat(each).isDone();
            assertThat(each.join().reason()).contains(RefusalReason.CLOSED);
            assertThat(each.join().refusedBy()).contains("narrow");
            assertThat(each.join().retryAfter()).isEmpty();
        }
        assertThatIllegalStateException().isThrownBy(() -> chain.tryAcquire()).withMessageContaining("narrow");
        assertThatIllegalStateException().isThrownBy(() -> chain.acquire()).withMessageContaining("narrow");
        assertThat(wide.availablePermits()).isEqualTo(6);
    }
}
