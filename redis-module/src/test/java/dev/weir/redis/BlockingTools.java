package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Where nothing may block in our tests, besides Lettuce's event loops, and what blocks there and is none of our doing. What
 * blocked is kept as well as thrown, as whoever catches it may tell nobody.
 */
public final class BlockingTools implements BlockHoundIntegration {

    /** What threads are called that stand for the event loops of somebody who uses us. */
    static final String EVENT_LOOP = "event-loop";

    private static final Queue<BlockingOperationError> SEEN = new ConcurrentLinkedQueue<>();

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.nonBlockingThreadPredicate(others -> others.or(BlockingTools::mayNotBlock));
        builder.blockingMethodCallback(method -> {
            BlockingOperationError error = new BlockingOperationError(method);
            if (takesALockOfTheClient(error)) {
                return;
            }
            SEEN.add(error);
            throw error;
        });
        // Classes are loaded where they are first needed.
        builder.allowBlockingCallsInside("java.lang.ClassLoader", "loadClass");
        // How an event loop of our tests waits for something to do.
        builder.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getTask");
        // The client ends its own event loops from one of them.
        builder.allowBlockingCallsInside("io.netty.util.concurrent.SingleThreadEventExecutor", "shutdownGracefully");
    }

    /**
     * The client guards what its event loops share by locks that it holds for a moment. Where one of them throws it is broken for
     * good: writers that are counted wrong never return, and who closes a cluster's connection waits for an end that never comes.
     */
    private static boolean takesALockOfTheClient(BlockingOperationError error) {
        StackTraceElement[] stack = error.getStackTrace();
        int lock = 0;
        while (lock < stack.length - 1 && !isLock(stack[lock])) {
            lock++;
        }
        return lock < stack.length - 1 && stack[lock + 1].getClassName().startsWith("io.lettuce.core.");
    }

    private static boolean isLock(StackTraceElement frame) {
        return frame.getMethodName().equals("lock") && frame.getClassName().equals(ReentrantLock.class.getName());
    }

    private static boolean mayNotBlock(Thread thread) {
        return thread.getName().startsWith(EVENT_LOOP);
    }

    /** What has blocked since this was asked last. */
    static List<BlockingOperationError> seen() {
        List<BlockingOperationError> seen = new ArrayList<>();
        for (BlockingOperationError each = SEEN.poll(); each != null; each = SEEN.poll()) {
            seen.add(each);
        }
        return seen;
    }
}
