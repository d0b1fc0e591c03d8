package dev.weir.benchmarks.crowd;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Kind;
import dev.weir.limit.Limit;
import java.util.function.Supplier;

/**
 * Who keeps a limit for each key: ten permits a day, so that no key can be forgotten while anybody looks. Each is measured in
 * a virtual machine that knows no other.
 */
public enum KeyContender implements Compared {
    MAP(Kind.FLOOR, "map entry", () -> new MapOfKeys<>(key -> Boolean.TRUE, known -> known)),
    TOKENS(
            Kind.OURS,
            "token bucket",
            () -> new OurKeys(Limit.tokenBucket(OurKeys.PERMITS, OurKeys.PERMITS, OurKeys.PERIOD))),
    LEAKY(Kind.OURS, "leaky bucket", () -> new OurKeys(Limit.leakyBucket(OurKeys.PERMITS, OurKeys.PERIOD))),
    FIXED(Kind.OURS, "fixed window", () -> new OurKeys(Limit.fixedWindow(OurKeys.PERMITS, OurKeys.PERIOD))),
    COUNTER(
            Kind.OURS,
            "sliding counter",
            () -> new OurKeys(Limit.slidingWindowCounter(OurKeys.PERMITS, OurKeys.PERIOD))),
    EXACT(Kind.OURS, "exact window of 10", () -> new OurKeys(Limit.of(OurKeys.PERMITS, OurKeys.PERIOD))),
    RESILIENCE4J(Kind.PEER, "Resilience4j", PeerKeys::resilience4j),
    BUCKET4J(Kind.PEER, "Bucket4j", PeerKeys::bucket4j),
    GUAVA(Kind.PEER, "Guava", PeerKeys::guava),
    FAILSAFE(Kind.PEER, "Failsafe, bursty", PeerKeys::failsafe);

    private final Kind kind;
    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Supplier<Keyed> keyed;

    KeyContender(Kind kind, String label, Supplier<Keyed> keyed) {
        this.kind = kind;
        this.label = label;
        this.keyed = keyed;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    Keyed keyed() {
        return keyed.get();
    }
}
