package dev.weir.micrometer;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Holds the dashboards of the documentation against the meters that there are, by the names that Prometheus gives them. */
class DashboardTest {

    private static final Path DASHBOARDS = Path.of("../docs/dashboards");
    private static final Path PAGE = Path.of("../docs/metrics.md");
    private static final Pattern METRIC = Pattern.compile("\\b(weir_[a-z_]+)");
    private static final Pattern QUERY = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern PANEL = Pattern.compile("(?s)\"title\": \"([^\"]*)\"(.*?)(?=\"title\": |$)");
    private static final Pattern LISTED =
            Pattern.compile("\"query\": \"label_values\\(((?:[^\"\\\\]|\\\\.)*), limiter\\)\"");
    private static final Pattern SELECTED = Pattern.compile("\\{([^}]*)}");
    private static final Pattern SPLIT_BY = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LABEL = Pattern.compile("\\b([a-z]+)(?:=| *,| *$)");

    @Test
    @DisplayName("every metric that a dashboard names exists, and every meter is on one")
    void namesExist() throws IOException {
        Set<String> named = found(METRIC).collect(Collectors.toSet());
        Set<String> existing = existingNames();

        assertThat(named).isNotEmpty().isSubsetOf(existing);
        assertThat(existing.stream().filter(name -> !name.contains("_seconds"))).isSubsetOf(named);
    }

    @Test
    @DisplayName("the page names every meter as Prometheus does, but for what belongs to a timer")
    void namesOfThePage() throws IOException {
        Set<String> named = metrics(Files.readString(PAGE)).collect(Collectors.toSet());

        assertThat(named).isSubsetOf(existingNames());
        assertThat(existingNames().stream().filter(name -> !name.matches(".*_seconds_(sum|max|bucket)")))
                .isSubsetOf(named);
    }

    @Test
    @DisplayName(
            "each query of a panel asks for a meter that limits with a key have, too, or the title says that it does not")
    void limitsWithAKey() throws IOException {
        Set<String> withAKey =
                keyed().stream().flatMap(DashboardTest::prometheusNames).collect(Collectors.toSet());
        List<String> without = new ArrayList<>();
        for (MatchResult panel : matches(PANEL)) {
            if (panel.group(1).contains("limits without a key")) {
                without.add(panel.group(1));
            } else {
                assertThat(QUERY.matcher(panel.group(2)).results().map(MatchResult::group))
                        .as(panel.group(1))
                        .allMatch(query -> metrics(query).anyMatch(withAKey::contains));
            }
        }
        assertThat(without).hasSize(2);
    }

    @Test
    @DisplayName("every label that a query selects or splits by is a tag of all the meters it asks for")
    void labelsExist() throws IOException {
        Map<String, Set<String>> labels = labelsByName();
        List<String> queries = queries();
        assertThat(queries).isNotEmpty().allSatisfy(query -> {
            Set<String> used = new TreeSet<>();
            Stream.of(SELECTED, SPLIT_BY)
                    .flatMap(pattern -> pattern.matcher(query).results())
                    .flatMap(found -> LABEL.matcher(found.group(1)).results())
                    .forEach(label -> used.add(label.group(1)));
            metrics(query)
                    .forEach(metric ->
                            assertThat(labels.get(metric)).as(query).isNotNull().containsAll(used));
        });
        assertThat(queries).anyMatch(query -> query.contains("source"));
    }

    @Test
    @DisplayName("the limiters to choose from are all those of which a panel shows something")
    void limitersAreListed() throws IOException {
        Map<String, Set<String>> limiters = byName(DashboardTest::limiterOf);
        Set<String> listed = found(LISTED)
                .flatMap(DashboardTest::metrics)
                .flatMap(metric -> limiters.get(metric).stream())
                .collect(Collectors.toSet());

        List<String> chosen =
                queries().stream().filter(query -> query.contains("$limiter")).toList();
        assertThat(chosen)
                .isNotEmpty()
                .allSatisfy(query -> assertThat(listed)
                        .as(query)
                        .containsAll(metrics(query)
                                .flatMap(metric -> limiters.get(metric).stream())
                                .toList()));
    }

    private static Stream<String> limiterOf(Meter meter) {
        return Stream.ofNullable(meter.getId().getTag("limiter"));
    }

    private static Stream<String> metrics(String query) {
        return METRIC.matcher(query).results().map(MatchResult::group);
    }

    private static List<String> queries() throws IOException {
        return found(QUERY).toList();
    }

    /** What a pattern finds in the dashboards, by its first group. */
    private static Stream<String> found(Pattern pattern) throws IOException {
        return matches(pattern).stream().map(result -> result.group(1));
    }

    private static List<MatchResult> matches(Pattern pattern) throws IOException {
        try (Stream<Path> files = Files.list(DASHBOARDS)) {
            List<MatchResult> found = new ArrayList<>();
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                pattern.matcher(Files.readString(file)).results().forEach(found::add);
            }
            return found;
        }
    }

    private static Map<String, Set<String>> labelsByName() {
        return byName(meter -> meter.getId().getTags().stream().map(Tag::getKey));
    }

    /** What meters have, by the names that Prometheus gives them. */
    private static Map<String, Set<String>> byName(Function<Meter, Stream<String>> what) {
        Map<String, Set<String>> byName = new TreeMap<>();
        existing()
                .forEach(meter -> prometheusNames(meter)
                        .forEach(name -> what.apply(meter)
                                .forEach(byName.computeIfAbsent(name, unused -> new TreeSet<>())::add)));
        return byName;
    }

    private static Set<String> existingNames() {
        return existing().stream().flatMap(DashboardTest::prometheusNames).collect(Collectors.toSet());
    }

    private static List<Meter> existing() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        RateLimiter limiter = RateLimiter.of(1, ofSeconds(1));
        PartitionedRateLimiter<String> perKey = PartitionedRateLimiter.of(limiter.limit());
        WeirMetrics.observer(registry, limiter.name());
        WeirMetrics.bindTo(registry, limiter);
        WeirMetrics.bindTo(registry, "per-key", perKey);
        WeirMetrics.observer(registry, "observed");
        return registry.getMeters();
    }

    private static List<Meter> keyed() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        PartitionedRateLimiter<String> perKey = PartitionedRateLimiter.of(Limit.of(1, ofSeconds(1)));
        WeirMetrics.bindTo(registry, "per-key", perKey);
        WeirMetrics.observer(registry, "per-key");
        return registry.getMeters();
    }

    /** The rules of Micrometer's naming convention for Prometheus, as far as they matter here. */
    private static Stream<String> prometheusNames(Meter meter) {
        String name = NamingConvention.snakeCase.name(
                meter.getId().getName(), meter.getId().getType());
        if (meter instanceof Timer) {
            return Stream.of("_seconds_count", "_seconds_sum", "_seconds_max", "_seconds_bucket")
                    .map(name::concat);
        }
        String unit = meter.getId().getBaseUnit();
        String withUnit = unit == null || name.endsWith("_" + unit) ? name : name + "_" + unit;
        return Stream.of(meter.getId().getType() == Meter.Type.COUNTER ? withUnit + "_total" : withUnit);
    }
}
