package dev.weir.proof;

import org.reactivestreams.Subscription;

/** What no operator may look like. */
public class OpenOperator implements Subscription {

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
}
