package dev.weir.benchmarks.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.benchmarks.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each contender does what its row says, on a server. */
class SharedLimitsRealTimeTest {

    private static final int PERMITS = 4;

    private static LocalServer server;

    @BeforeAll
    static void start() {
        server = LocalServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @MethodSource("limiting")
    @DisplayName("two nodes share the permits that there are; then they are refused")
    void decides(FleetContender contender) throws Exception {
        Site site = new Site(server.port(), 0, 2, PERMITS, Duration.ofHours(1));
        try (SharedLimits limits = contender.limits(site)) {
            Gate[] gates = {limits.gate(0, "few " + contender), limits.gate(1, "few " + contender)};
            int granted = 0;
            for (int i = 0; i < 3 * PERMITS; i++) {
                granted += ask(gates[i % 2]) ? 1 : 0;
            }
            assertThat(granted).isEqualTo(PERMITS);
            assertThat(ask(limits.gate(0, "other " + contender))).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("limiting")
    @DisplayName("a caller that comes too early waits, and is served")
    void waits(FleetContender contender) throws Exception {
        Site site = new Site(server.port(), 0, 2, PERMITS, Duration.ofSeconds(1));
        try (SharedLimits limits = contender.limits(site)) {
            List<CompletionStage<Boolean>> waiting = new ArrayList<>();
            for (int i = 0; i < 2 * PERMITS; i++) {
                waiting.add(limits.gate(i % 2, "queue " + contender).await());
            }
            for (CompletionStage<Boolean> served : waiting) {
                assertThat(answer(served)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"SCRIPT,1", "SCRIPT_ELSEWHERE,1", "TOKENS,1", "GATEWAY,1", "REDISSON,1", "BUCKET4J,2"})
    @DisplayName("a single caller makes as many trips as there are")
    void trips(FleetContender contender, double trips) {
        Map<String, Double> figures = measured(new Load(1, 1), contender);
        assertThat(figures.get("trips")).isCloseTo(trips, within(0.05));
        assertThat(figures.get("serverMicros")).isPositive();
        assertThat(figures.get("p50")).isLessThanOrEqualTo(figures.get("p99"));
    }

    @Test
    @DisplayName("a load that asks no server makes no trip")
    void noTrips() {
        assertThat(measured(new Load(1, 1), FleetContender.NOTHING)).containsEntry("trips", 0.0);
    }

    @ParameterizedTest
    @EnumSource(FleetContender.class)
    @DisplayName("many callers are all answered; the run itself fails if not")
    void load(FleetContender contender) {
        Map<String, Double> figures = measured(new Load(5, 20), contender);
        assertThat(figures.get("trips")).isNotNegative();
        assertThat(figures.get("p99")).isPositive();
    }

    private static Map<String, Double> measured(Load load, FleetContender contender) {
        try (LoadRun run = load.on(contender, server.port(), 0)) {
            run.warmUp(50);
            return run.measure(100).all();
        }
    }

    /** All but those who grant whatever is asked for. */
    static Stream<FleetContender> limiting() {
        return Stream.of(FleetContender.values()).filter(contender -> contender.kind() != Kind.FLOOR);
    }

    private static boolean ask(Gate gate) throws Exception {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        gate.ask(Gate.completing(answer));
        return answer(answer);
    }

    private static boolean answer(CompletionStage<Boolean> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
