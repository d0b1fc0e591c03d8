package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
            SEEN.add(error);
            throw error;
        });
        // Classes are loaded where they are first needed.
        builder.allowBlockingCallsInside("java.lang.ClassLoader", "loadClass");
        // How an event loop of our tests waits for something to do.
        builder.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getTask");
        // The client ends its own event loops from one of them, and takes a lock to count who still needs them.
        builder.allowBlockingCallsInside("io.netty.util.concurrent.SingleThreadEventExecutor", "shutdownGracefully");
        builder.allowBlockingCallsInside("io.lettuce.core.resource.DefaultEventLoopGroupProvider", "release");
        // The client counts its writers under a lock, and miscounts them for good if that throws: no later writer then
        // returns.
        builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters");
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
