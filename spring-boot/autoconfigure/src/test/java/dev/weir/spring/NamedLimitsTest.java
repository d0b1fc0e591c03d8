package dev.weir.spring;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class NamedLimitsTest {

    private final Map<String, String> properties =
            new HashMap<>(Map.of("weir.limits.api.kind", "concurrency", "weir.limits.api.permits", "1"));

    private final LimiterWatch nobody = new LimiterWatch() {};
    private final NamedLimits limits = limits(new LocalLimiters(nobody));

    private NamedLimits limits(LimiterFactory factory) {
        return new NamedLimits(
                () -> new Binder(new MapConfigurationPropertySource(properties))
                        .bindOrCreate("weir", WeirProperties.class),
                factory,
                nobody);
    }

    @Test
    @DisplayName("a missing argument is named, and so is a limit that there is not")
    void missing() {
        Limit limit = Limit.concurrency(2);
        assertThatNullPointerException().isThrownBy(() -> limits.limiter(null)).withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.partitioned(null))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.definition(null))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.change(null, limit))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.change("api", null))
                .withMessage("limit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.limiter("apj"))
                .withMessageContaining("'apj'")
                .withMessageContaining("[api]");
    }

    @Test
    @DisplayName("who asks for one limiter of a limit by key, or the other way round, is told how to get what there is")
    void askedTheOtherWay() {
        properties.putAll(Map.of(
                "weir.limits.per-user.key", "principal",
                "weir.limits.per-user.permits", "1",
                "weir.limits.per-user.period", "1m"));
        NamedLimits both = limits(new LocalLimiters(nobody));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> both.limiter("per-user"))
                .withMessage("limit 'per-user' has a key: use partitioned(\"per-user\")");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> both.partitioned("api"))
                .withMessage("limit 'api' has no key: use limiter(\"api\")");
    }

    @Test
    @DisplayName("what the properties say of the queue holds for the limiter, with a key and without")
    void queue() {
        for (String key : List.of("", "principal")) {
            one("full", Map.of("queue-limit", "1", "key", key));
            one("newest", Map.of("queue-limit", "1", "queue-order", "newest-first", "key", key));
            one("hasty", Map.of("max-wait", "0s", "key", key));
            NamedLimits made = limits(new LocalLimiters(nobody));
            assertThat(answers(made, "full", key)).containsExactly("granted", "waits", "QUEUE_FULL");
            assertThat(answers(made, "newest", key)).containsExactly("granted", "EVICTED", "waits");
            assertThat(answers(made, "hasty", key)).containsExactly("granted", "EXHAUSTED", "EXHAUSTED");
        }
    }

    private void one(String name, Map<String, String> more) {
        String prefix = "weir.limits." + name + ".";
        properties.put(prefix + "permits", "1");
        properties.put(prefix + "period", "1h");
        more.forEach((property, value) -> {
            if (!value.isEmpty()) {
                properties.put(prefix + property, value);
            }
        });
    }

    /** Returns what became of each of three requests that come one after the other. */
    private static List<String> answers(NamedLimits made, String name, String key) {
        RateLimiter limiter =
                key.isEmpty() ? made.limiter(name) : made.partitioned(name).forKey("somebody");
        List<CompletableFuture<Lease>> asked =
                Stream.generate(() -> limiter.acquire(1)).limit(3).toList();
        return asked.stream().map(NamedLimitsTest::answer).toList();
    }

    private static String answer(CompletableFuture<Lease> asked) {
        if (!asked.isDone()) {
            return "waits";
        }
        return asked.join().reason().map(RefusalReason::name).orElse("granted");
    }

    @Test
    @DisplayName("a factory that returns no limiter is named, with the limit")
    void nothingMade() {
        LimiterFactory none = new LimiterFactory() {
            @Override
            public RateLimiter limiter(LimitDefinition definition) {
                return null;
            }

            @Override
            public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
                return null;
            }
        };
        assertThatNullPointerException()
                .isThrownBy(() -> limits(none))
                .withMessageContaining(none.getClass().getName())
                .withMessageContaining("'api'");
        properties.put("weir.limits.api.key", "principal");
        assertThatNullPointerException()
                .isThrownBy(() -> limits(none))
                .withMessageContaining(none.getClass().getName())
                .withMessageContaining("'api'");
    }

    @Test
    @DisplayName("a reload makes no limit that is new, and keeps one that is gone")
    void reloadOfOtherNames() {
        properties.putAll(Map.of("weir.limits.room.kind", "concurrency", "weir.limits.room.permits", "1"));
        properties.remove("weir.limits.api.kind");
        properties.remove("weir.limits.api.permits");
        limits.reload();
        assertThat(limits.names()).containsExactly("api");
        assertThat(limits.limiter("api").limit()).isEqualTo(Limit.concurrency(1));
    }

    @Test
    @DisplayName("a reload changes what keys beyond the maximum share, with the period and by itself")
    void overflow() {
        properties.putAll(Map.of(
                "weir.limits.per-user.key", "principal",
                "weir.limits.per-user.maximum-keys", "1",
                "weir.limits.per-user.permits", "1",
                "weir.limits.per-user.period", "1m",
                "weir.limits.per-user.overflow-permits", "1"));
        NamedLimits keyed = limits(new LocalLimiters(nobody));
        assertThat(keyed.definition("per-user").overflow()).isEqualTo(Limit.of(1, ofMinutes(1)));

        properties.put("weir.limits.per-user.period", "1h");
        keyed.reload();
        assertThat(keyed.definition("per-user").overflow()).isEqualTo(Limit.of(1, ofHours(1)));
        properties.put("weir.limits.per-user.overflow-permits", "3");
        keyed.reload();
        assertThat(keyed.definition("per-user").overflow()).isEqualTo(Limit.of(3, ofHours(1)));
        PartitionedRateLimiter<String> perUser = keyed.partitioned("per-user");
        assertThat(Stream.of("ada", "bob", "cem", "dee", "eve")
                        .map(user -> perUser.tryAcquire(user, 1).isAcquired()))
                .as("one of her own, three of what the others share")
                .containsExactly(true, true, true, true, false);
    }

    @Test
    @DisplayName(
            "a reload that finds no key any more, or a new one, keeps what keys beyond the maximum share, as the key")
    void overflowWithoutItsKey() {
        properties.putAll(Map.of(
                "weir.limits.common.overflow-permits", "1",
                "weir.limits.common.period", "1m",
                "weir.limits.per-user.base", "common",
                "weir.limits.per-user.key", "principal",
                "weir.limits.per-user.maximum-keys", "1",
                "weir.limits.per-user.permits", "1",
                "weir.limits.all-users.base", "common",
                "weir.limits.all-users.permits", "1"));
        NamedLimits both = limits(new LocalLimiters(nobody));
        LimitDefinition keyed = both.definition("per-user");
        LimitDefinition keyless = both.definition("all-users");
        properties.remove("weir.limits.per-user.key");
        properties.remove("weir.limits.per-user.maximum-keys");
        properties.put("weir.limits.all-users.key", "principal");
        both.reload();
        assertThat(both.definition("per-user")).isEqualTo(keyed);
        assertThat(both.definition("all-users")).isEqualTo(keyless);
    }

    @Test
    @DisplayName("a request that waits by a limit changed for all keys is told the end, too")
    void closedWithThoseBefore() {
        properties.putAll(Map.of(
                "weir.limits.slots.kind", "concurrency",
                "weir.limits.slots.key", "principal",
                "weir.limits.slots.permits", "1"));
        NamedLimits keyed = limits(new LocalLimiters(nobody));
        RateLimiter before = keyed.partitioned("slots").forKey("ada");
        assertThat(before.tryAcquire().isAcquired()).isTrue();
        CompletableFuture<Lease> waiting = before.acquire();
        keyed.change("slots", Limit.concurrency(2));
        assertThat(keyed.partitioned("slots").forKey("ada").limit()).isEqualTo(Limit.concurrency(2));
        assertThat(waiting).isNotDone();
        keyed.close();
        assertThat(waiting)
                .isCompletedWithValueMatching(lease -> lease.reason().equals(Optional.of(RefusalReason.CLOSED)));
        keyed.change("slots", Limit.concurrency(3));
        PartitionedRateLimiter<String> after = keyed.partitioned("slots");
        assertThatIllegalStateException().isThrownBy(() -> after.forKey("bob"));
    }

    @Test
    @DisplayName("limiters that fail to close leave no other open; the first failure is thrown, with the others")
    void closedDespiteFailures() {
        properties.putAll(Map.of(
                "weir.limits.room.kind", "concurrency",
                "weir.limits.room.permits", "1",
                "weir.limits.per-user.kind", "concurrency",
                "weir.limits.per-user.key", "principal",
                "weir.limits.per-user.permits", "1",
                "weir.limits.slots.kind", "concurrency",
                "weir.limits.slots.key", "principal",
                "weir.limits.slots.permits", "1"));
        NamedLimits four = limits(new FailingAtClose(new LocalLimiters(nobody), new ArrayList<>()));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (RateLimiter limiter : List.of(
                four.limiter("api"),
                four.limiter("room"),
                four.partitioned("per-user").forKey("ada"),
                four.partitioned("slots").forKey("ada"))) {
            assertThat(limiter.tryAcquire().isAcquired()).isTrue();
            waiting.add(limiter.acquire());
        }
        four.change("slots", Limit.concurrency(2));

        assertThatIllegalStateException()
                .isThrownBy(four::close)
                .satisfies(first -> assertThat(first.getSuppressed())
                        .as("room, per-user, slots")
                        .hasSize(3));
        assertThat(waiting)
                .allSatisfy(request -> assertThat(request)
                        .isCompletedWithValueMatching(
                                lease -> lease.reason().equals(Optional.of(RefusalReason.CLOSED))));
    }

    @Test
    @DisplayName(
            "a reload that would change a closed limiter changes none, not even for a moment: who waits goes on waiting")
    void reloadOfClosed() {
        for (String closed : List.of("api", "room")) {
            properties.putAll(Map.of(
                    "weir.limits.api.permits", "2",
                    "weir.limits.room.kind", "concurrency",
                    "weir.limits.room.permits", "2"));
            NamedLimits two = limits(new LocalLimiters(nobody));
            two.limiter(closed).close();
            RateLimiter open = two.limiter(closed.equals("api") ? "room" : "api");
            assertThat(open.tryAcquire(2).isAcquired()).isTrue();
            CompletableFuture<Lease> waiting = open.acquire(2);
            properties.putAll(Map.of("weir.limits.api.permits", "1", "weir.limits.room.permits", "1"));

            assertThatIllegalStateException().isThrownBy(two::reload).withMessageContaining(closed);
            assertThat(two.names()).allSatisfy(name -> {
                assertThat(two.limiter(name).limit()).isEqualTo(Limit.concurrency(2));
                assertThat(two.definition(name).limit()).isEqualTo(Limit.concurrency(2));
            });
            assertThat(waiting).as("beside %s, which is closed", closed).isNotDone();
        }
    }

    @Test
    @DisplayName("a reload that a limiter of the application's own refuses changes none, of keys or not")
    void reloadOfUnchangeable() {
        properties.putAll(Map.of(
                "weir.limits.room.kind", "concurrency",
                "weir.limits.room.permits", "1",
                "weir.limits.per-user.kind", "concurrency",
                "weir.limits.per-user.permits", "1",
                "weir.limits.per-user.key", "principal"));
        for (String refusing : List.of("api", "room")) {
            List<PartitionedRateLimiter<String>> made = new ArrayList<>();
            NamedLimits three = limits(new WithChain(new LocalLimiters(nobody), refusing, made));
            RateLimiter ofUser = three.partitioned("per-user").forKey("ada");
            three.names().forEach(name -> properties.put("weir.limits." + name + ".permits", "2"));

            assertThatIllegalArgumentException()
                    .isThrownBy(three::reload)
                    .withMessageContaining("a chain has no limit");
            assertThat(three.names()).as("limits beside %s", refusing).allSatisfy(name -> {
                RateLimiter limiter =
                        name.equals("per-user") ? three.partitioned(name).forKey("ada") : three.limiter(name);
                assertThat(limiter.limit()).isEqualTo(Limit.concurrency(1));
                assertThat(three.definition(name).limit()).isEqualTo(Limit.concurrency(1));
            });
            assertThat(three.partitioned("per-user").forKey("ada")).isEqualTo(ofUser);
            assertThat(made).hasSize(2);
            made.stream()
                    .skip(1)
                    .forEach(unused -> assertThatIllegalStateException().isThrownBy(() -> unused.forKey("ada")));
            three.names().forEach(name -> properties.put("weir.limits." + name + ".permits", "1"));
        }
    }

    @Test
    @DisplayName("a change sets the limit of a limiter that was reconfigured itself, also back to what it was")
    void changeBack() {
        limits.limiter("api").reconfigure(Limit.concurrency(2));
        assertThat(new WeirEndpoint(limits).report().limits().get("api").limit())
                .as("what is told in the meantime")
                .isEqualTo(Limit.concurrency(2).toString());

        limits.reload();
        assertThat(limits.limiter("api").limit())
                .as("whose properties are as before")
                .isEqualTo(Limit.concurrency(2));
        limits.change("api", Limit.concurrency(1));
        assertThat(limits.limiter("api").limit()).isEqualTo(Limit.concurrency(1));
        assertThat(new WeirEndpoint(limits).report().limits().get("api").limit())
                .isEqualTo(Limit.concurrency(1).toString());
    }

    @Test
    @DisplayName("a change to the same limit leaves all keys what they have")
    void sameForKeys() {
        properties.putAll(Map.of("weir.limits.api.key", "principal"));
        NamedLimits keyed = limits(new LocalLimiters(nobody));
        assertThat(keyed.partitioned("api").tryAcquire("ada", 1).isAcquired()).isTrue();
        keyed.change("api", Limit.concurrency(1));
        assertThat(keyed.partitioned("api").tryAcquire("ada", 1).isAcquired()).isFalse();
    }

    @Test
    @DisplayName("of two changes at once one is refused, and the definition is that of the limiter")
    void twoChangesAtOnce() {
        AtomicReference<NamedLimits> changing = new AtomicReference<>();
        Limit first = Limit.concurrency(2);
        Limit second = Limit.concurrency(3);
        NamedLimits interrupted = limits(new Interrupted(new LocalLimiters(nobody), () -> {
            NamedLimits others = changing.getAndSet(null);
            if (others != null) {
                assertThatIllegalStateException().isThrownBy(() -> others.change("api", second));
                assertThatIllegalStateException().isThrownBy(others::reload);
            }
        }));
        changing.set(interrupted);

        interrupted.change("api", first);
        assertThat(interrupted.definition("api").limit()).isEqualTo(first);
        assertThat(interrupted.limiter("api").limit()).isEqualTo(first);
        interrupted.change("api", second);
        assertThat(interrupted.limiter("api").limit()).isEqualTo(second);
    }

    /** Makes a chain of one name, whose limit cannot be changed, and remembers the limiters of keys. */
    private record WithChain(LimiterFactory factory, String name, List<PartitionedRateLimiter<String>> made)
            implements LimiterFactory {

        @Override
        public RateLimiter limiter(LimitDefinition definition) {
            RateLimiter limiter = factory.limiter(definition);
            return definition.name().equals(name) ? RateLimiter.chain(limiter) : limiter;
        }

        @Override
        public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
            PartitionedRateLimiter<String> limiters = factory.partitioned(definition);
            made.add(limiters);
            return limiters;
        }
    }

    /** Makes limiters that close and then fail, and keeps them from the garbage collector. */
    private record FailingAtClose(LimiterFactory factory, List<Object> made) implements LimiterFactory {

        @Override
        public RateLimiter limiter(LimitDefinition definition) {
            return failing(RateLimiter.class, factory.limiter(definition));
        }

        @Override
        @SuppressWarnings("unchecked")
        public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
            return failing(PartitionedRateLimiter.class, factory.partitioned(definition));
        }

        private <T> T failing(Class<T> type, T limiter) {
            T failing = type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        Object result = method.invoke(limiter, arguments);
                        if (method.getName().equals("close")) {
                            throw new IllegalStateException("planned");
                        }
                        return result;
                    }));
            made.add(failing);
            return failing;
        }
    }

    /** Makes limiters that have something happen right after each change. */
    private record Interrupted(LimiterFactory factory, Runnable meanwhile) implements LimiterFactory {

        @Override
        public RateLimiter limiter(LimitDefinition definition) {
            RateLimiter limiter = factory.limiter(definition);
            return (RateLimiter) Proxy.newProxyInstance(
                    RateLimiter.class.getClassLoader(),
                    new Class<?>[] {RateLimiter.class},
                    (proxy, method, arguments) -> {
                        Object result = method.invoke(limiter, arguments);
                        if (method.getName().equals("reconfigure")) {
                            meanwhile.run();
                        }
                        return result;
                    });
        }

        @Override
        public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
            return factory.partitioned(definition);
        }
    }
}
