package dev.weir.benchmarks.shaping;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Kind;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Who shapes. Each is measured in a virtual machine that knows no other. */
public enum ShaperContender implements Compared {
    LOOKING(Kind.FLOOR, "a thread that looks at the clock all the time", Floors::looking),
    SLEEPING(Kind.FLOOR, "a thread that sleeps until it is due", Floors::sleeping),

    FLUX_OWN("Flux, own limiter", Ours::ownFlux, false),
    FLUX_OWN_SLACK("Flux, own limiter, slack of 5 ms", Ours::ownFlux, true),
    FLUX_SHARED("Flux, shared limiter", Ours::sharedFlux, false),
    FLUX_SHARED_SLACK("Flux, shared limiter, slack of 5 ms", Ours::sharedFlux, true),
    FLOWABLE_OWN("Flowable, own limiter", Ours::ownFlowable, false),
    FLOWABLE_OWN_SLACK("Flowable, own limiter, slack of 5 ms", Ours::ownFlowable, true),
    FLOWABLE_SHARED("Flowable, shared limiter", Ours::sharedFlowable, false),
    FLOWABLE_SHARED_SLACK("Flowable, shared limiter, slack of 5 ms", Ours::sharedFlowable, true),

    DELAY_ELEMENTS(Kind.PEER, "Flux, delayElements", Peers::delayElements),
    FLUX_ZIP(Kind.PEER, "Flux, zip with interval", Peers::fluxZip),
    FLOWABLE_ZIP(Kind.PEER, "Flowable, zip with interval", Peers::flowableZip),
    PEKKO(Kind.PEER, "Pekko, throttle", Peers::pekko),
    BUCKET4J(Kind.PEER, "Flux, Bucket4j for each element", Peers::bucket4j),
    RESILIENCE4J(Kind.PEER, "Flux, Resilience4j for each element", Peers::resilience4j),
    GUAVA(Kind.PEER, "Guava, blocking", Peers::guava),
    FAILSAFE(Kind.PEER, "Failsafe, blocking", Peers::failsafe);

    private final Kind kind;
    private final String label;
    private final boolean slack;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Function<Rate, Shaper> shaper;

    ShaperContender(String label, BiFunction<Rate, Integer, Shaper> ours, boolean slack) {
        this.kind = Kind.OURS;
        this.label = label;
        this.slack = slack;
        this.shaper = rate -> ours.apply(rate, slack(rate));
    }

    ShaperContender(Kind kind, String label, Function<Rate, Shaper> shaper) {
        this.kind = kind;
        this.label = label;
        this.slack = false;
        this.shaper = shaper;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    /** Whether it can shape so at all. */
    public boolean knows(Rate.Shape shape) {
        return shape == Rate.Shape.EVEN || !(slack || this == GUAVA);
    }

    /** How many late elements it may catch up. */
    int slack(Rate rate) {
        return slack ? rate.slack() : 0;
    }

    Shaper shaper(Rate rate) {
        return shaper.apply(rate);
    }
}
