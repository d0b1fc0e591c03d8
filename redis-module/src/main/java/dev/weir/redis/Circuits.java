package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The circuits of a node: one for all limiters on the same time source, as times of different clocks cannot be compared. */
final class Circuits {

    private final RandomGenerator random;
    private final AtomicReference<List<OfOneClock>> known = new AtomicReference<>(List.of());

    Circuits(RandomGenerator random) {
        this.random = random;
    }

    /** References are weak: the limiters keep their time source, and a circuit is of use no longer than that. */
    private record OfOneClock(WeakReference<TimeSource> clock, Circuit circuit) {

        boolean isInUse() {
            return !clock.refersTo(null);
        }
    }

    /** Returns the circuit of a time source. */
    Circuit of(TimeSource time) {
        while (true) {
            List<OfOneClock> seen = Objects.requireNonNull(known.get(), "known");
            for (OfOneClock each : seen) {
                if (each.clock.refersTo(time)) {
                    return each.circuit;
                }
            }
            OfOneClock made = new OfOneClock(new WeakReference<>(time), new Circuit(random));
            List<OfOneClock> next = Stream.concat(seen.stream().filter(OfOneClock::isInUse), Stream.of(made))
                    .toList();
            if (known.compareAndSet(seen, next)) {
                return made.circuit;
            }
        }
    }
}
