package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;

/** The way of one node to a store that is out of its reach for a while: questions fail then, and answers that were under way are lost. */
final class UnreliableLink implements Store {

    private final Store behind;
    private final TimeSource time;
    private final long deadlineNanos;
    private long fromNanos;
    private long untilNanos;
    private boolean isSilent;
    private long aloneNanos = Long.MAX_VALUE;

    /** Of a node that waits so long for an answer. */
    UnreliableLink(Store behind, TimeSource time, long deadlineNanos) {
        this.behind = behind;
        this.time = time;
        this.deadlineNanos = deadlineNanos;
    }

    /** Is broken from one time until the other. If it is silent, it fails only when that is over: a node gives up before. */
    void breaks(long from, long until, boolean silent) {
        fromNanos = from;
        untilNanos = until;
        isSilent = silent;
    }

    /** Returns from when on its node decides alone, as it has asked in vain; the largest number if it has not. */
    long aloneNanos() {
        return aloneNanos;
    }

    long untilNanos() {
        return untilNanos;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        if (isBroken()) {
            fail(listener);
            return;
        }
        behind.ask(limit, question, new Listener() {
            @Override
            public void answered(Answer answer) {
                if (isBroken()) {
                    fail(listener);
                } else {
                    listener.answered(answer);
                }
            }

            @Override
            public void failed(Throwable cause) {
                listener.failed(cause);
            }
        });
    }

    private boolean isBroken() {
        long now = time.nanoTime();
        return now >= fromNanos && now < untilNanos;
    }

    private void fail(Listener listener) {
        aloneNanos = Math.min(aloneNanos, time.nanoTime() + (isSilent ? deadlineNanos : 0));
        IllegalStateException gone = new IllegalStateException("gone");
        if (isSilent) {
            TimeSource.Cancellable unused = time.schedule(() -> listener.failed(gone), untilNanos - time.nanoTime());
        } else {
            listener.failed(gone);
        }
    }
}
