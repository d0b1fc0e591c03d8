package dev.weir.proof.soak;

import dev.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** One thread at full speed, with many sessions at once. */
final class Load implements Runnable {

    static final int SESSIONS = 32;

    private final TimeSource time;
    private final SplittableRandom random;
    private final BooleanSupplier ends;
    private final AtomicLong over = new AtomicLong();
    private final List<Session> sessions = new ArrayList<>();

    Load(TimeSource time, long seed, BooleanSupplier ends) {
        this.time = time;
        this.random = new SplittableRandom(seed);
        this.ends = ends;
    }

    long sessionsOver() {
        return over.get();
    }

    @Override
    public void run() {
        while (!ends.getAsBoolean()) {
            while (sessions.size() < SESSIONS) {
                sessions.add(new Session(time, random.split()));
            }
            goOn();
        }
        while (!sessions.isEmpty()) {
            goOn();
        }
    }

    private void goOn() {
        int chosen = random.nextInt(sessions.size());
        if (sessions.get(chosen).isOverAfterGoingOn()) {
            sessions.remove(chosen);
            over.incrementAndGet();
        }
    }
}
