package dev.weir;

/** Two threads, for tests that play every interleaving of their steps. */
public final class Both {

    private Both() {}

    /** Runs one on this thread and the other on a second one; returns when both have ended. */
    public static void run(Runnable one, Runnable other) {
        Thread second = new Thread(other);
        second.start();
        one.run();
        try {
            second.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
