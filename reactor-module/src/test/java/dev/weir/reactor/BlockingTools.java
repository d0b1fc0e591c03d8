package dev.weir.reactor;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/** What blocks in our tests and is none of our doing. All else that blocks where it may not fails the test. */
public final class BlockingTools implements BlockHoundIntegration {

    @Override
    public void applyTo(BlockHound.Builder builder) {
        // The queue in which the subscribers of the Reactive Streams kit keep what they get has a lock.
        builder.allowBlockingCallsInside("java.util.concurrent.ArrayBlockingQueue", "offer");
        // A worker locks its queue to take back a disposed task; if that throws, the lock is never free again.
        builder.allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "remove");
    }
}
