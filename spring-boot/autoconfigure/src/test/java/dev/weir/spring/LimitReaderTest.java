package dev.weir.spring;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.QueueOrder;
import dev.weir.limit.Limit;
import dev.weir.redis.WhenUnavailable;
import dev.weir.webflux.WithoutKey;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class LimitReaderTest {

    private static final Duration SECOND = ofSeconds(1);

    @Test
    @DisplayName("every kind of limit, from its properties")
    void kinds() {
        assertThat(limit("permits=5", "period=1s")).isEqualTo(Limit.of(5, ofSeconds(1)));
        assertThat(limit("kind=sliding-window", "permits=5", "period=1s", "segments=4"))
                .isEqualTo(Limit.slidingWindow(5, ofSeconds(1), 4));
        assertThat(limit("kind=sliding-window-counter", "permits=5", "period=1m"))
                .isEqualTo(Limit.slidingWindowCounter(5, ofMinutes(1)));
        assertThat(limit("kind=fixed_window", "permits=5", "period=100ms"))
                .isEqualTo(Limit.fixedWindow(5, ofMillis(100)));
        assertThat(limit("kind=token-bucket", "permits=5", "period=1s", "capacity=50"))
                .isEqualTo(Limit.tokenBucket(50, 5, ofSeconds(1)));
        assertThat(limit("kind=leaky-bucket", "permits=5", "period=1s", "slack=2"))
                .isEqualTo(Limit.leakyBucket(5, ofSeconds(1)).withSlack(2));
        assertThat(limit("kind=concurrency", "permits=5")).isEqualTo(Limit.concurrency(5));
    }

    @Test
    @DisplayName("a setting is inherited from the nearest base; a base without permits is no limit")
    void inheritance() {
        Map<String, LimitDefinition> limits = read(
                "limits.common.period=1s",
                "limits.common.queue-limit=7",
                "limits.common.key=address",
                "limits.users.base=common",
                "limits.users.permits=10",
                "limits.users.key=principal",
                "limits.users.without-key=refuse",
                "limits.admins.base=users",
                "limits.admins.permits=100",
                "limits.admins.queue-order=newest-first",
                "limits.admins.max-wait=3s",
                "limits.admins.waiting=true");

        assertThat(limits).containsOnlyKeys("users", "admins");
        LimitDefinition admins = limits.get("admins");
        assertThat(admins.limit()).isEqualTo(Limit.of(100, ofSeconds(1)));
        assertThat(admins.key()).isEqualTo("principal");
        assertThat(admins.withoutKey()).isEqualTo(WithoutKey.REFUSE);
        assertThat(admins.queueLimit()).isEqualTo(7);
        assertThat(admins.queueOrder()).isEqualTo(QueueOrder.NEWEST_FIRST);
        assertThat(admins.maxWait()).isEqualTo(ofSeconds(3));
        assertThat(admins.waiting()).isTrue();
        assertThat(limits.get("users").queueOrder()).isEqualTo(QueueOrder.OLDEST_FIRST);
    }

    @Test
    @DisplayName("a name as the environment has to write it is that of a limit that is there, not a second one")
    void namesOfTheEnvironment() {
        Map<String, LimitDefinition> limits =
                read("limits.per-user.permits=5", "limits.per-user.period=1s", "limits.peruser.permits=5");
        assertThat(limits).containsOnlyKeys("per-user");
        assertThat(read("limits.peruser.permits=5", "limits.peruser.period=1s")).containsOnlyKeys("peruser");
    }

    @Test
    @DisplayName("two names that Spring Boot cannot tell apart are refused, as both would have the settings of one")
    void sameNames() {
        assertThatThrownBy(() -> read(
                        "limits.per-user.permits=5",
                        "limits.per-user.period=1s",
                        "limits.perUser.permits=7",
                        "limits.perUser.period=1h"))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.limits.perUser'")
                .hasMessageContaining("'per-user'");
    }

    @Test
    @DisplayName("a setting that is inherited need not suit the limit's kind, key and backend")
    void inheritedWithoutPlace() {
        Map<String, LimitDefinition> limits = read(
                "redis.enabled=true",
                "limits.common.period=1s",
                "limits.common.permits=5",
                "limits.common.segments=4",
                "limits.common.without-key=refuse",
                "limits.common.maximum-keys=7",
                "limits.common.overflow-permits=3",
                "limits.common.lease-ahead=2",
                "limits.room.base=common",
                "limits.room.kind=concurrency",
                "limits.room.backend=local",
                "limits.users.base=common",
                "limits.users.kind=sliding-window",
                "limits.users.key=principal",
                "limits.all-users.base=users",
                "limits.all-users.key=none");

        assertThat(limits.get("common").limit()).isEqualTo(Limit.of(5, ofSeconds(1)));
        assertThat(limits.get("room").limit()).isEqualTo(Limit.concurrency(5));
        assertThat(limits.get("room").leaseAhead()).isZero();
        assertThat(limits.get("users").limit()).isEqualTo(Limit.slidingWindow(5, ofSeconds(1), 4));
        assertThat(limits.get("users").maximumKeys()).isEqualTo(7);
        assertThat(limits.get("users").overflow()).isEqualTo(Limit.slidingWindow(3, ofSeconds(1), 4));
        assertThat(limits.get("all-users").key()).isNull();
        assertThat(limits.get("all-users").overflow()).isNull();
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("an overflow limit bursts to its own permits at most, whatever a key may")
    @CsvSource(
            delimiter = '|',
            value = {
                "permits=20;overflow-permits=1000 | 1000",
                "permits=20;capacity=20;overflow-permits=1000 | 1000",
                "permits=20;capacity=5000;overflow-permits=100 | 100",
                "permits=20;capacity=5;overflow-permits=100 | 100",
                "permits=20;capacity=5;overflow-permits=1 | 1"
            })
    void overflowOfTokenBuckets(String settings, int overflow) {
        assertThat(overflow("kind=token-bucket;" + settings)).isEqualTo(Limit.tokenBucket(overflow, overflow, SECOND));
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("an overflow limit has slack for its own permits at most")
    @CsvSource(
            delimiter = '|',
            value = {
                "permits=20;overflow-permits=100 | 100 | 0",
                "permits=20;slack=7;overflow-permits=100 | 100 | 7",
                "permits=20;slack=5000;overflow-permits=100 | 100 | 99",
                "permits=20;slack=7;overflow-permits=1 | 1 | 0"
            })
    void overflowOfLeakyBuckets(String settings, int overflow, int slack) {
        assertThat(overflow("kind=leaky-bucket;" + settings))
                .isEqualTo(Limit.leakyBucket(overflow, SECOND).withSlack(slack));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @DisplayName("a senseless setting is named by its property")
    @CsvSource(
            delimiter = '|',
            value = {
                "a.period=1s | weir.limits.a.permits | must be set",
                "a.permits=0;a.period=1s | weir.limits.a.permits | at least 1, but is 0",
                "a.permits=1 | weir.limits.a.period | must be set",
                "a.permits=1;a.period=0s | weir.limits.a.period | must be positive",
                "a.permits=1;a.period=-1s | weir.limits.a.period | must be positive",
                "a.permits=1;a.period=999999d | weir.limits.a.period | at most 3650 days",
                "a.permits=1;a.period=1s;a.segments=3 | weir.limits.a.segments | belongs to the kind SLIDING_WINDOW",
                "a.permits=1;a.period=1s;a.capacity=3 | weir.limits.a.capacity | belongs to the kind TOKEN_BUCKET",
                "a.permits=1;a.period=1s;a.queue-limit=-3 | weir.limits.a.queue-limit | at least 0, but is -3",
                "a.permits=1;a.period=1s;a.max-wait=-3s | weir.limits.a.max-wait | must not be negative",
                "a.permits=1;a.period=1s;a.key=address;a.maximum-keys=0 | weir.limits.a.maximum-keys | at least 1",
                "a.permits=1;a.period=1s;a.key=address;a.overflow-permits=0 | weir.limits.a.overflow-permits | at least 1",
                "a.permits=1;a.period=1s;a.base=c | weir.limits.a.base | of [a], but is 'c'",
                "a.permits=1;a.period=1s;a.backend=redis | weir.limits.a.backend | unless weir.redis.enabled is true",
                "a.permits=1;a.period=1s;a.lease-ahead=2 | weir.limits.a.lease-ahead | but the backend is LOCAL",
                "a.permits=1;a.kind=concurrency;a.period=1s | weir.limits.a.period | the kind CONCURRENCY has no period",
                "a.permits=1;a.period=1s;a.without-key=refuse | weir.limits.a.without-key | or a key be set",
                "a.permits=1;a.period=1s;a.maximum-keys=9;a.key=none | weir.limits.a.maximum-keys | or a key be set",
                "a.permits=1;a.period=1s;a.overflow-permits=9 | weir.limits.a.overflow-permits | or a key be set",
                "b.kind=concurrency;a.base=b;a.permits=1;a.period=1s | weir.limits.a.period | must be removed",
                "a.permits=1;a.period=3650d;a.kind=token-bucket;a.capacity=100 | weir.limits.a | is 100 * PT87600H / 1",
                "a.permits=1;a.period=1d;a.kind=leaky-bucket;a.slack=2000000000 | weir.limits.a | is 2000000001 * PT24H / 1",
                "b.period=-1s;a.base=b;a.permits=1 | weir.limits.b.period | must be positive",
                "c.queue-limit=-3;b.base=c;b.period=1s;a.base=b;a.permits=1 | weir.limits.c.queue-limit | but is -3",
                "c.queue-limit=-3;b.base=c;b.queue-limit=-2;a.base=b;a.permits=1;a.period=1s | weir.limits.b.queue-limit | -2",
                "b.permits=0;b.period=1s;a.base=b | weir.limits.b.permits | at least 1, but is 0",
                "b.backend=redis;a.base=b;a.permits=1;a.period=1s | weir.limits.b.backend | unless weir.redis.enabled",
                "b.queue-limit=9;a.base=b;a.permits=1 | weir.limits.a.period | must be set",
                "a.base=b;b.base=a;a.permits=1 | weir.limits.b.base | must not lead back to 'a'",
                "a.base=a;a.permits=1 | weir.limits.a.base | must not lead back to 'a'"
            })
    void wrong(String properties, String property, String problem) {
        assertThatThrownBy(() -> read(Stream.of(properties.split(";", -1))
                        .map("limits."::concat)
                        .toArray(String[]::new)))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'" + property + "'")
                .hasMessageContaining(problem);
    }

    @Test
    @DisplayName("limits are kept in Redis where it is switched on, unless they say otherwise")
    void backend() {
        Map<String, LimitDefinition> limits = read(
                "redis.enabled=true",
                "limits.a.permits=5",
                "limits.a.period=1s",
                "limits.a.lease-ahead=3",
                "limits.b.base=a",
                "limits.c.permits=5",
                "limits.c.period=1s",
                "limits.c.backend=local");
        assertThat(limits.get("a").backend()).isEqualTo(LimitBackend.REDIS);
        assertThat(limits.get("a").leaseAhead()).isEqualTo(3);
        assertThat(limits.get("b").leaseAhead()).isEqualTo(3);
        assertThat(limits.get("c").backend()).isEqualTo(LimitBackend.LOCAL);
        assertThat(read("limits.a.permits=5", "limits.a.period=1s").get("a").backend())
                .isEqualTo(LimitBackend.LOCAL);
    }

    @Test
    @DisplayName("a node's choices without a store have the names of weir-redis")
    void alone() {
        assertThat(Stream.of(WeirProperties.Redis.Alone.values()).map(Enum::name))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(WhenUnavailable.values()).map(Enum::name).toList());
    }

    private static Limit limit(String... settings) {
        String[] named = new String[settings.length];
        for (int setting = 0; setting < settings.length; setting++) {
            named[setting] = "limits.x." + settings[setting];
        }
        return read(named).get("x").limit();
    }

    private static @Nullable Limit overflow(String settings) {
        return read(Stream.of((settings + ";period=1s;key=address").split(";", -1))
                        .map("limits.x."::concat)
                        .toArray(String[]::new))
                .get("x")
                .overflow();
    }

    private static Map<String, LimitDefinition> read(String... settings) {
        Map<String, String> properties = new LinkedHashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            properties.put("weir." + setting.substring(0, equals), setting.substring(equals + 1));
        }
        return LimitReader.read(
                new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("weir", WeirProperties.class));
    }
}
