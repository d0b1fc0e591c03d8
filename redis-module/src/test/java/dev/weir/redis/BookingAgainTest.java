package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node that gives up what it has booked for a request, to book again. */
class BookingAgainTest {

    private static final Duration KEPT = Duration.ofSeconds(10);
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private final List<Question> asked = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final RateLimiter limiter = limiter((limit, question, listener) -> {
        asked.add(question);
        model.ask(limit, question, listener);
    });
    private CompletableFuture<Lease> waiting;

    private RateLimiter limiter(Store store) {
        return ModelFleet.builder(LIMIT, store, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
    }

    @BeforeEach
    void book() {
        for (int i = 0; i < 10; i++) {
            leases.add(limiter.acquire().join());
            time.advanceBy(Duration.ofSeconds(1));
        }
        waiting = limiter.acquire();
    }

    @AfterEach
    void checkWaits() {
        assertThat(waiting).isNotDone();
    }

    /** Returns whether a booking is given up for that. */
    private boolean booksAgain(Runnable change) {
        asked.clear();
        change.run();
        return asked.stream().flatMap(question -> question.undone().stream()).anyMatch(slot -> !slot.taken());
    }

    private boolean booksAgainForCharge() {
        return booksAgain(() -> limiter.charge(1));
    }

    private boolean booksAgainForLease() {
        return booksAgain(leases.remove(leases.size() - 1)::giveBack);
    }

    @Test
    @DisplayName("does so for one of several charges, and again after ten seconds")
    void charges() {
        assertThat(booksAgainForCharge()).isTrue();
        assertThat(booksAgainForCharge()).isFalse();
        time.advanceBy(KEPT.minus(NANO));
        assertThat(booksAgainForCharge()).isFalse();
        time.advanceBy(NANO);
        assertThat(booksAgainForCharge()).isTrue();
    }

    @Test
    @DisplayName("that was in vain, as others had booked since, does so again after ten seconds")
    void inVain() {
        limiter(model).charge(3);
        assertThat(booksAgainForLease()).isTrue();
        assertThat(booksAgainForLease()).isFalse();
        time.advanceBy(KEPT.minus(NANO));
        limiter(model).charge(3);
        assertThat(booksAgainForLease()).isFalse();
        time.advanceBy(NANO);
        assertThat(booksAgainForLease()).isTrue();
    }
}
