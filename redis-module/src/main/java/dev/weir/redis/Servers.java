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
 * The servers of a node: each apart, as one that is gone says nothing of the others; and for each time source, as times of different clocks
 * cannot be compared.
 */
final class Servers {

    private final RandomGenerator random;
    private final AtomicReference<List<OfOneClock>> known = new AtomicReference<>(List.of());

    Servers(RandomGenerator random) {
        this.random = random;
    }

    /**
     * The servers as limiters on one time source know them. They are of use as long as that is, so they refer to it weakly: its limiters
     * keep it, also while they wait in the queue of a server.
     */
    static final class OfOneClock {

        private final WeakReference<TimeSource> clock;
        private final RandomGenerator random;
        private final ConcurrentMap<String, Server> byName = new ConcurrentHashMap<>();

        private OfOneClock(TimeSource time, RandomGenerator random) {
            this.clock = new WeakReference<>(time);
            this.random = random;
        }

        private boolean isInUse() {
            return !clock.refersTo(null);
        }

        Server of(String name) {
            Server known = byName.get(name);
            return known == null ? byName.computeIfAbsent(name, any -> Server.behind(new Circuit(random))) : known;
        }
    }

    /** Returns the servers for a time source. */
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
