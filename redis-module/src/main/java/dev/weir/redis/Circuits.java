package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The circuits of a node: one for each server, as one that is gone says nothing of the others; and for each time source, as times of
 * different clocks cannot be compared.
 */
final class Circuits {

    private final RandomGenerator random;
    private final AtomicReference<List<OfOneClock>> known = new AtomicReference<>(List.of());

    Circuits(RandomGenerator random) {
        this.random = random;
    }

    /**
     * The circuits of one time source. They are of use as long as that is, so they refer to it weakly: its limiters keep it, also while they
     * wait in the queue of a circuit.
     */
    static final class OfOneClock {

        private final WeakReference<TimeSource> clock;
        private final RandomGenerator random;
        private final ConcurrentMap<String, Circuit> byServer = new ConcurrentHashMap<>();

        private OfOneClock(TimeSource time, RandomGenerator random) {
            this.clock = new WeakReference<>(time);
            this.random = random;
        }

        private boolean isInUse() {
            return !clock.refersTo(null);
        }

        /** Returns the circuit of a server. */
        Circuit of(String server) {
            Circuit made = byServer.get(server);
            return made == null ? byServer.computeIfAbsent(server, any -> new Circuit(random)) : made;
        }
    }

    /** Returns the circuits of a time source. */
    OfOneClock of(TimeSource time) {
        while (true) {
            List<OfOneClock> seen = Objects.requireNonNull(known.get(), "known");
            for (OfOneClock each : seen) {
                if (each.clock.refersTo(time)) {
                    return each;
                }
            }
            OfOneClock made = new OfOneClock(time, random);
            List<OfOneClock> next = Stream.concat(seen.stream().filter(OfOneClock::isInUse), Stream.of(made))
                    .toList();
            if (known.compareAndSet(seen, next)) {
                return made;
            }
        }
    }
}
