package dev.weir.rxjava;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/** Where nothing may block in our tests, and what blocks there and is none of our doing. */
public final class ComputationThreads implements BlockHoundIntegration {

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.nonBlockingThreadPredicate(others -> others.or(ComputationThreads::mayNotBlock));
        // How RxJava's workers wait for tasks, and take back those that are disposed.
        for (String call : new String[] {"take", "poll", "offer", "remove"}) {
            builder.allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", call);
        }
        // How the JDK waits for the interrupt of a task that is disposed just when it is done.
        builder.allowBlockingCallsInside("java.util.concurrent.FutureTask", "handlePossibleCancellationInterrupt");
        // The queue in which the subscribers of the Reactive Streams kit keep what they get has a lock.
        builder.allowBlockingCallsInside("java.util.concurrent.ArrayBlockingQueue", "offer");
    }

    private static boolean mayNotBlock(Thread thread) {
        return thread.getName().startsWith("RxComputationThreadPool");
    }
}
