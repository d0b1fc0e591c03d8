package dev.weir.limit;

/**
 * A retry hint: the caller tries again because another thread is in the middle of a few instructions that involve no other
 * thread.
 *
 * <p>{@link #again} is empty on purpose. It does not call {@link Thread#onSpinWait}: tools that keep blocking calls off event
 * loops, BlockHound among them, treat it as one, and the error they throw would come out of the middle of an operator.
 */
final class Spin {

    private Spin() {}

    static void again() {}
}
