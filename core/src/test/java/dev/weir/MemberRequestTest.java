package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What becomes of a request of a chain that a member decides about while it is asked. */
class MemberRequestTest {

    private final RateLimiter limiter = RateLimiter.of(Limit.unlimited());
    private final Lease lease = limiter.tryAcquire();
    private final AtomicInteger woken = new AtomicInteger();

    /** Asks a member that has this done while it is asked. */
    private MemberRequest ask(Consumer<MemberRequest> meanwhile) {
        RateLimiter member = new ForeignLimiter(limiter) {
            @Override
            public PermitRequest acquire(int permits, PermitListener listener) {
                meanwhile.accept((MemberRequest) listener);
                return SettledRequest.INSTANCE;
            }
        };
        ChainRequest asked = new ChainRequest(1, 0, TimeSource.system(), 1);
        return MemberRequest.at(Members.of(member), 0, true, asked, PermitEngine.UNBOUNDED, woken::incrementAndGet);
    }

    @Test
    @DisplayName("a request of a chain that its own thread answers does not wake that thread")
    void byItself() {
        MemberRequest answered =
                ask(request -> assertThat(request.answerWhileAsked(lease)).isTrue());
        assertThat(answered.answer()).isSameAs(lease);
        MemberRequest moving = ask(MemberRequest::moveOnWhileAsked);
        assertThat(moving.isAwaited()).isFalse();
        moving.moveOn();
        assertThat(woken).hasValue(0);
    }

    @Test
    @DisplayName("another thread, which cannot know whether it has looked already, leaves that for later, and wakes it")
    void byAnotherThread() {
        MemberRequest answered = ask(request -> Concurrently.run(
                1, thread -> assertThat(request.answerWhileAsked(lease)).isFalse()));
        assertThat(answered.isAwaited()).isTrue();
        answered.onLease(lease);
        assertThat(answered.answer()).isSameAs(lease);
        assertThat(woken).hasValue(1);
        MemberRequest moving = ask(request -> Concurrently.run(1, thread -> request.moveOnWhileAsked()));
        assertThat(moving.isAwaited()).isTrue();
        moving.moveOn();
        assertThat(moving.isAwaited()).isFalse();
        assertThat(woken).hasValue(2);
    }
}
