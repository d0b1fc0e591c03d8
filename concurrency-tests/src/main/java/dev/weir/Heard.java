package dev.weir;

import dev.weir.gate.GatedStream;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stream that counts what its ends hear. The counts of the signals are plain fields, as signals follow one another:
 * one that overlaps with another, or does not see it, is lost from the count.
 */
final class Heard implements GatedStream<String> {

    private final AtomicInteger dropped = new AtomicInteger();
    private int delivered;
    private String end = "open";
    private boolean inside;
    private boolean overlapped;

    /** What became of the elements, and how the stream ended. */
    String summary() {
        String counts = "delivered " + delivered + " dropped " + dropped.get() + " " + end;
        return overlapped ? counts + " OVERLAPPED" : counts;
    }

    private void enter() {
        overlapped |= inside;
        inside = true;
    }

    @Override
    public boolean next(String element) {
        enter();
        delivered++;
        if (!end.equals("open")) {
            end = "element after " + end;
        }
        inside = false;
        return true;
    }

    @Override
    public void complete() {
        end("complete");
    }

    @Override
    public void error(Throwable error) {
        end("error");
    }

    private void end(String how) {
        enter();
        end = end.equals("open") ? how : how + " after " + end;
        inside = false;
    }

    @Override
    public void requestFromSource(long elements) {}

    @Override
    public void cancelSource() {}

    @Override
    public void discard(String element) {
        dropped.incrementAndGet();
    }

    @Override
    public void elementDropped(String element) {
        dropped.incrementAndGet();
    }

    @Override
    public void errorDropped(Throwable error) {}

    @Override
    public Throwable overflow(String element) {
        return new IllegalStateException("overflow");
    }
}
