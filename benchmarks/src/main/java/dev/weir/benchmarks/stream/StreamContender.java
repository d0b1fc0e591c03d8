package dev.weir.benchmarks.stream;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Kind;
import java.util.function.Supplier;

/** Who lets elements pass. Each is measured in a virtual machine that knows no other. */
public enum StreamContender implements Compared {
    FLUX_MAP(Kind.FLOOR, "Flux, map", Fluxes::identity),
    FLUX_CLOCK(Kind.FLOOR, "Flux, map reading nanoTime", Fluxes::clock),
    FLUX_OWN(Kind.OURS, "Flux, own limiter", () -> Fluxes.own(Limits.exact())),
    FLUX_OWN_TOKENS(Kind.OURS, "Flux, own token bucket", () -> Fluxes.own(Limits.tokens())),
    FLUX_OWN_10K(Kind.OURS, "Flux, own limiter, 10,000 at hand", () -> Fluxes.own(Limits.perNanosecond(10_000))),
    FLUX_OWN_BILLION(
            Kind.OURS, "Flux, own limiter, 1,000,000,000/s", () -> Fluxes.own(Limits.perNanosecond(1_000_000_000))),
    FLUX_SHARED(Kind.OURS, "Flux, shared limiter", Fluxes::shared),
    FLUX_WEIGHTED(Kind.OURS, "Flux, weighted, shared", Fluxes::weighted),
    FLUX_PER_KEY(Kind.OURS, "Flux, 16 keys", Fluxes::perKey),

    FLOWABLE_MAP(Kind.FLOOR, "Flowable, map", Flowables::identity),
    FLOWABLE_CLOCK(Kind.FLOOR, "Flowable, map reading nanoTime", Flowables::clock),
    FLOWABLE_OWN(Kind.OURS, "Flowable, own limiter", () -> Flowables.own(Limits.exact())),
    FLOWABLE_OWN_10K(
            Kind.OURS, "Flowable, own limiter, 10,000 at hand", () -> Flowables.own(Limits.perNanosecond(10_000))),
    FLOWABLE_SHARED(Kind.OURS, "Flowable, shared limiter", Flowables::shared),
    FLOWABLE_WEIGHTED(Kind.OURS, "Flowable, weighted, shared", Flowables::weighted),
    FLOWABLE_PER_KEY(Kind.OURS, "Flowable, 16 keys", Flowables::perKey),

    PEKKO_MAP(Kind.PEER, "Pekko, map", PekkoStreams::identity),
    PEKKO_THROTTLE(Kind.PEER, "Pekko, throttle", PekkoStreams::throttle),
    RESILIENCE4J(Kind.PEER, "Flux, Resilience4j for each element", Fluxes::resilience4j),
    BUCKET4J(Kind.PEER, "Flux, Bucket4j for each element", Fluxes::bucket4j),
    GUAVA(Kind.PEER, "Flux, map blocking on Guava", Fluxes::guava);

    private final Kind kind;
    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Supplier<Pipe> pipe;

    StreamContender(Kind kind, String label, Supplier<Pipe> pipe) {
        this.kind = kind;
        this.label = label;
        this.pipe = pipe;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    Pipe pipe() {
        return pipe.get();
    }
}
