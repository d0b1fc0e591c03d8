package dev.weir.micrometer;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WeirMetricsTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final RateLimiter limiter = RateLimiter.builder(Limit.of(2, ofSeconds(1)))
            .name("api")
            .queueLimit(2)
            .timeSource(time)
            .observer(WeirMetrics.observer(registry, "api"))
            .build();

    @Test
    @DisplayName("gauges and counters read what the limiter says of itself")
    void boundMeters() {
        WeirMetrics.bindTo(registry, limiter);

        assertThat(gauge("available")).isEqualTo(2);
        ask(2);
        CompletableFuture<Lease> waiting = limiter.acquire(2);
        ask(1);

        assertThat(gauge("available")).isZero();
        assertThat(gauge("queued")).isEqualTo(2);
        assertThat(leases("acquired")).isEqualTo(1);
        assertThat(leases("refused")).isEqualTo(1);

        limiter.charge(1);
        assertThat(gauge("available")).isEqualTo(-1);
        time.advanceBy(ofSeconds(3));
        assertThat(waiting).isCompleted();
        assertThat(leases("acquired")).isEqualTo(2);
        assertThat(gauge("queued")).isZero();
    }

    @Test
    @DisplayName(
            "a counter does not fall when what was acquired goes back, or it would be taken for one that began anew")
    void countersRise() {
        WeirMetrics.bindTo(registry, limiter);
        Lease first = limiter.tryAcquire();
        assertThat(leases("acquired")).isEqualTo(1);
        first.giveBack();
        assertThat(limiter.statistics().acquired()).isZero();
        assertThat(leases("acquired")).isEqualTo(1);
        ask(2);
        assertThat(leases("acquired")).isEqualTo(1);
        time.advanceBy(ofSeconds(1));
        ask(1);
        assertThat(leases("acquired")).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "a limiter that cannot be read for a time leaves its counters as they are, and those of others readable")
    void unreadable() {
        boolean[] isBroken = new boolean[1];
        TimeSource stopping = new TimeSource() {
            @Override
            public long nanoTime() {
                if (isBroken[0]) {
                    throw new IllegalStateException("on purpose");
                }
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                return time.schedule(task, delayNanos);
            }
        };
        RateLimiter broken = RateLimiter.builder(Limit.of(3, ofSeconds(1)))
                .name(limiter.name())
                .timeSource(stopping)
                .build();
        WeirMetrics.bindTo(registry, broken);
        broken.tryAcquire();
        assertThat(leases("acquired")).isEqualTo(1);
        broken.tryAcquire();
        isBroken[0] = true;
        assertThat(leases("acquired")).isEqualTo(1);
        isBroken[0] = false;
        assertThat(leases("acquired")).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "a limiter that is closed and made anew under its name is read by the same meters, whatever the registry makes of them")
    void madeAnew() {
        CompositeMeterRegistry all = new CompositeMeterRegistry();
        registry.config().commonTags("host", "a");
        all.config().meterFilter(MeterFilter.renameTag("weir", "limiter", "by"));
        all.add(registry);
        List<Integer> figures = new ArrayList<>();
        for (int permits = 3; permits <= 5; permits++) {
            Limit limit = Limit.of(permits, ofSeconds(1));
            RateLimiter single =
                    RateLimiter.builder(limit).name("room").timeSource(time).build();
            PartitionedRateLimiter<String> keyed = PartitionedRateLimiter.of(limit);
            WeirMetrics.bindTo(all, single);
            WeirMetrics.bindTo(all, "room", keyed);
            figures.add(ids().size());

            assertThat(gauge("available")).isEqualTo(permits);
            assertThat(gauge("queued")).isZero();
            assertThat(leases("acquired")).isZero();
            assertThat(leases("refused")).isZero();
            single.tryAcquire();
            keyed.tryAcquire("key", 1);
            var waiting = single.acquire(permits);
            single.tryAcquire(permits);
            assertThat(waiting).isNotDone();
            assertThat(gauge("available")).isEqualTo(permits - 1);
            assertThat(gauge("queued")).isEqualTo(permits);
            assertThat(leases("acquired")).isEqualTo(1);
            assertThat(leases("refused")).isEqualTo(1);
            assertThat(gauge("keys")).isEqualTo(1);
            single.close();
            keyed.close();
        }
        assertThat(figures).as("meters").containsOnly(figures.get(0));
    }

    @Test
    @DisplayName("the timer tells how long each request waited, those that did not included")
    void waits() {
        ask(2);
        ask(2);
        time.advanceBy(ofSeconds(1));

        assertThat(timer("acquired").count()).isEqualTo(2);
        assertThat(timer("acquired").max(TimeUnit.MILLISECONDS)).isEqualTo(1_000);
        assertThat(timer("acquired").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(1_000);
        assertThat(permits(DecisionSource.LOCAL)).isEqualTo(4);
    }

    @Test
    @DisplayName("every decision is counted for whom it was made by, and only there")
    void sources() {
        Set<Meter.Id> before = ids();
        RateLimiterObserver observer = WeirMetrics.observer(registry, "api");
        for (DecisionSource source : DecisionSource.values()) {
            int times = source.name().length(); // different for each
            for (int time = 0; time < times; time++) {
                observer.onAcquired(10, TimeUnit.MILLISECONDS.toNanos(1), source);
                observer.onRefused(1, RefusalReason.EXHAUSTED, source);
            }
        }
        for (DecisionSource source : DecisionSource.values()) {
            int times = source.name().length(); // different for each
            assertThat(timer("acquired", source.name()).count()).isEqualTo(times);
            assertThat(timer("acquired", source.name()).totalTime(TimeUnit.MILLISECONDS))
                    .isEqualTo(times);
            assertThat(permits(source)).isEqualTo(10 * times);
            assertThat(refusals(RefusalReason.EXHAUSTED, source)).isEqualTo(times);
            assertThat(refusals(RefusalReason.QUEUE_FULL, source)).isZero();
        }
        assertThat(ids()).isEqualTo(before);
    }

    @Test
    @DisplayName("an observer that names no source counts for this JVM")
    void withoutSource() {
        RateLimiterObserver observer = WeirMetrics.observer(registry, "api");
        observer.onAcquired(3, 0);
        observer.onRefused(3, RefusalReason.EXHAUSTED);
        assertThat(timer("acquired").count()).isEqualTo(1);
        assertThat(permits(DecisionSource.LOCAL)).isEqualTo(3);
        assertThat(refusals(RefusalReason.EXHAUSTED)).isEqualTo(1);
    }

    @Test
    @DisplayName("meters of one name have the same tags, whatever their values, as Prometheus wants it")
    void sameTagsByName() {
        WeirMetrics.bindTo(registry, limiter);
        Map<String, Set<List<String>>> keys = ids().stream()
                .collect(Collectors.groupingBy(
                        Meter.Id::getName,
                        Collectors.mapping(
                                id -> id.getTags().stream().map(Tag::getKey).toList(), Collectors.toSet())));
        assertThat(keys).allSatisfy((name, tags) -> assertThat(tags).as(name).hasSize(1));
    }

    @Test
    @DisplayName("a wait that was given up is told apart")
    void cancelledWaits() {
        ask(2);
        CompletableFuture<Lease> waiting = limiter.acquire(1);
        time.advanceBy(ofSeconds(1).dividedBy(4));
        waiting.cancel(false);

        assertThat(timer("cancelled").count()).isEqualTo(1);
        assertThat(timer("cancelled").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
        assertThat(timer("acquired").count()).isEqualTo(1);
    }

    @Test
    @DisplayName("refusals are counted by reason")
    void refusals() {
        limiter.tryAcquire(2);
        limiter.tryAcquire(1);
        ask(2);
        ask(1);
        limiter.close();

        assertThat(refusals(RefusalReason.EXHAUSTED)).isEqualTo(1);
        assertThat(refusals(RefusalReason.QUEUE_FULL)).isEqualTo(1);
        assertThat(refusals(RefusalReason.CLOSED)).isEqualTo(1);
        assertThat(refusals(RefusalReason.MAX_WAIT)).isZero();
    }

    @Test
    @DisplayName("however many keys there are, the meters are the same, and no key is among their tags")
    void tagsAreBounded() {
        PartitionedRateLimiter<String> perUser = PartitionedRateLimiter.<String>builder(
                        key -> Limit.of(1, ofSeconds(1)))
                .name("per-user")
                .timeSource(time)
                .observer(WeirMetrics.observer(registry, "per-user"))
                .build();
        WeirMetrics.bindTo(registry, limiter);
        WeirMetrics.bindTo(registry, "per-user", perUser);
        Set<Meter.Id> before = ids();

        for (int user = 0; user < 1_000; user++) {
            perUser.tryAcquire("user-" + user, 1);
            perUser.tryAcquire("user-" + user, 1);
        }

        assertThat(ids()).isEqualTo(before);
        assertThat(registry.get("weir.limiter.keys").gauge().value()).isEqualTo(1_000);
        assertThat(tags("limiter")).containsExactlyInAnyOrder("api", "per-user");
        assertThat(before.stream().flatMap(id -> id.getTags().stream()).map(Tag::getKey))
                .containsOnly("limiter", "outcome", "source");
        assertThat(tags("source")).containsExactlyInAnyOrder("local", "remote", "fallback", "none");
        List<String> reasons = Arrays.stream(RefusalReason.values())
                .map(reason -> reason.name().toLowerCase(Locale.ROOT))
                .toList();
        assertThat(tags("outcome")).containsAll(reasons).hasSize(reasons.size() + 3);
    }

    @Test
    @DisplayName("a missing argument is named")
    void missingArguments() {
        assertThatNullPointerException()
                .isThrownBy(() -> WeirMetrics.bindTo(null, limiter))
                .withMessage("registry");
        assertThatNullPointerException()
                .isThrownBy(() -> WeirMetrics.bindTo(registry, null))
                .withMessage("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> WeirMetrics.observer(registry, null))
                .withMessage("name");
    }

    private void ask(int permits) {
        limiter.acquire(permits, lease -> {});
    }

    private Set<Meter.Id> ids() {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    private Set<String> tags(String key) {
        return ids().stream()
                .flatMap(id -> id.getTags().stream())
                .filter(tag -> tag.getKey().equals(key))
                .map(Tag::getValue)
                .collect(Collectors.toSet());
    }

    private double gauge(String name) {
        return registry.get("weir.limiter." + name).gauge().value();
    }

    private double leases(String outcome) {
        return registry.get("weir.limiter.leases")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    private Timer timer(String outcome) {
        return timer(outcome, outcome.equals("cancelled") ? "none" : "local");
    }

    private Timer timer(String outcome, String source) {
        return registry.get("weir.limiter.wait")
                .tags("outcome", outcome, "source", source.toLowerCase(Locale.ROOT))
                .timer();
    }

    private double permits(DecisionSource source) {
        return registry.get("weir.limiter.permits")
                .tag("source", source.name().toLowerCase(Locale.ROOT))
                .counter()
                .count();
    }

    private double refusals(RefusalReason reason) {
        return refusals(reason, DecisionSource.LOCAL);
    }

    private double refusals(RefusalReason reason, DecisionSource source) {
        return registry.get("weir.limiter.refusals")
                .tag("outcome", reason.name().toLowerCase(Locale.ROOT))
                .tag("source", source.name().toLowerCase(Locale.ROOT))
                .counter()
                .count();
    }
}
