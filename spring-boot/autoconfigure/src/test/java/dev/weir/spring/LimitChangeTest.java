package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LimitChangeTest {

    @Test
    @DisplayName("a limit that cannot be brought back does not keep others from coming back, and is told")
    void undoFails() {
        Limit before = Limit.concurrency(1);
        RateLimiter first = RateLimiter.of(before);
        RateLimiter closed = RateLimiter.of(before);
        LimitChange change = new LimitChange();
        change.reconfigure(first, Limit.concurrency(2));
        change.reconfigure(closed, Limit.concurrency(2));
        closed.close();

        RuntimeException thrown = new RuntimeException("planned");
        change.undo(thrown);
        assertThat(first.limit()).isSameAs(before);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
    }
}
