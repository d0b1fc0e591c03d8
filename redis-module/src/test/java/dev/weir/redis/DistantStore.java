package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;

/** A store that decides half a trip after it was asked, and is heard of half a trip later. */
final class DistantStore implements Store {

    private final Store behind;
    private final TimeSource time;
    private long tripNanos;

    DistantStore(Store behind, TimeSource time, long tripNanos) {
        this.behind = behind;
        this.time = time;
        this.tripNanos = tripNanos;
    }

    void isFromNowOnAway(long nanos) {
        tripNanos = nanos;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        later(() -> behind.ask(limit, question, new Listener() {
            @Override
            public void answered(Answer answer) {
                later(() -> listener.answered(answer));
            }

            @Override
            public void failed(Throwable cause) {
                later(() -> listener.failed(cause));
            }
        }));
    }

    private void later(Runnable half) {
        TimeSource.Cancellable unused = time.schedule(half, tripNanos / 2);
    }
}
