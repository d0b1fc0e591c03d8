package dev.weir.gate;

import org.jspecify.annotations.Nullable;

/** A stream whose elements are pulled from a queue that is empty, and what no stream of these tests has to do with. */
class TestStream implements GatedStream<Integer>, PulledSource<Integer> {

    @Override
    public boolean next(Integer element) {
        return true;
    }

    @Override
    public void complete() {}

    @Override
    public void error(Throwable error) {
        throw new AssertionError(error);
    }

    @Override
    public void requestFromSource(long elements) {
        throw new AssertionError("asked for " + elements);
    }

    @Override
    public void cancelSource() {}

    @Override
    public void discard(Integer element) {
        throw new AssertionError("discarded " + element);
    }

    @Override
    public void elementDropped(Integer element) {
        throw new AssertionError("dropped " + element);
    }

    @Override
    public void errorDropped(Throwable error) {
        throw new AssertionError(error);
    }

    @Override
    public Throwable overflow(Integer element) {
        return new AssertionError("no room for " + element);
    }

    @Override
    public @Nullable Integer poll() {
        return null;
    }

    @Override
    public boolean isEmpty() {
        return true;
    }
}
