package dev.weir.micrometer;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import io.micrometer.core.instrument.Meter;
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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Holds the dashboards of the documentation against the meters that there are, by the names that Prometheus gives them. */
class DashboardTest {

    private static final Path DASHBOARDS = Path.of("../docs/dashboards");
    private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z_]+");
    private static final Pattern QUERY = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern SELECTED = Pattern.compile("\\{([^}]*)}");
    private static final Pattern SPLIT_BY = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LABEL = Pattern.compile("\\b([a-z]+)(?:=| *,| *$)");

    @Test
    @DisplayName("every metric that a dashboard names exists, and every meter is on one")
    void namesExist() throws IOException {
        Set<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.list(DASHBOARDS)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                METRIC.matcher(Files.readString(file))
                        .results()
                        .map(MatchResult::group)
                        .forEach(named::add);
            }
        }
        Set<String> existing = existingNames();

        assertThat(named).isNotEmpty().isSubsetOf(existing);
        assertThat(existing.stream().filter(name -> !name.contains("_seconds"))).isSubsetOf(named);
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
            METRIC.matcher(query)
                    .results()
                    .forEach(metric -> assertThat(labels.get(metric.group()))
                            .as(query)
                            .isNotNull()
                            .containsAll(used));
        });
        assertThat(queries).anyMatch(query -> query.contains("source"));
    }

    private static List<String> queries() throws IOException {
        try (Stream<Path> files = Files.list(DASHBOARDS)) {
            List<String> queries = new ArrayList<>();
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                QUERY.matcher(Files.readString(file)).results().forEach(found -> queries.add(found.group(1)));
            }
            return queries;
        }
    }

    private static Map<String, Set<String>> labelsByName() {
        Map<String, Set<String>> labels = new TreeMap<>();
        existing()
                .forEach(meter -> prometheusNames(meter)
                        .forEach(name -> meter.getId()
                                .getTags()
                                .forEach(tag -> labels.computeIfAbsent(name, unused -> new TreeSet<>())
                                        .add(tag.getKey()))));
        return labels;
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
