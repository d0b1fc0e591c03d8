package dev.weir.limit;

/**
 * Trying again, because another thread is in the middle of a few instructions that involve nobody else.
 *
 * <p>Not {@link Thread#onSpinWait}: tools that keep blocking calls off event loops, BlockHound among them, take it for one, and
 * the error they throw would come out of the middle of an operator.
 */
final class Spin {

    private Spin() {}

    static void again() {}
}
