package dev.weir.gate;

/** A call whose source does nothing, and that says nothing of what it does not expect to hear. */
abstract class QuietCall<S> implements GatedCall<Integer, S> {

    @Override
    public void requestFromSource(S upstream, long elements) {}

    @Override
    public void cancelSource(S upstream) {}

    @Override
    public void next(Integer element) {}

    @Override
    public void discard(Integer element) {}

    @Override
    public void elementDropped(Integer element) {}
}
