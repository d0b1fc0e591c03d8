package dev.weir.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.decision.DecisionBenchmark;
import dev.weir.benchmarks.fleet.FleetContender;
import dev.weir.benchmarks.fleet.FleetRun;
import dev.weir.benchmarks.fleet.LocalServer;
import dev.weir.benchmarks.stream.StreamBenchmark;
import dev.weir.benchmarks.waiting.RoomContender;
import dev.weir.benchmarks.waiting.WaitingRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Measurements run in virtual machines of their own and come back. */
class SuiteTest {

    @BeforeAll
    static void besideOtherMeasurements() {
        System.setProperty("jmh.ignoreLock", "true");
    }

    @Test
    @DisplayName("decisions, and what was answered")
    void decisions() {
        Map<String, String> parameters = Map.of("contender", "TOKENS", "outcome", "REFUSED");
        Map<String, List<Double>> figures = Jmh.run(
                DecisionBenchmark.class,
                parameters,
                1_000,
                2,
                Effort.of("instant").decisions());
        assertThat(figures)
                .containsKeys("yardstickNanos", "nanos", "bytes")
                .containsEntry("granted", List.of(0.0))
                .allSatisfy((name, values) -> assertThat(values).as(name).hasSize(1));
        assertThat(figures.get("refused"))
                .allSatisfy(refused -> assertThat(refused).isPositive());
    }

    @Test
    @DisplayName("streams")
    void streams() {
        Map<String, List<Double>> figures = Jmh.run(
                StreamBenchmark.class,
                Map.of("contender", "FLUX_OWN"),
                1,
                1,
                Effort.of("instant").decisions());
        assertThat(figures.get("nanos")).allSatisfy(nanos -> assertThat(nanos).isBetween(1.0, 100_000.0));
    }

    @Test
    @DisplayName("figures that a machine tells")
    void machines() {
        Map<String, Double> figures = Machines.run(List.of(), WaitingRun.class, RoomContender.NODES, 100, 1);
        assertThat(figures).containsEntry("waiting", 100.0).containsEntry("timers", 0.0);
    }

    @Test
    @DisplayName("figures of companions that take turns")
    void companions() {
        try (LocalServer server = LocalServer.start();
                Companion one = companion(server, FleetContender.SCRIPT);
                Companion other = companion(server, FleetContender.TOKENS)) {
            for (Companion each : List.of(one, other)) {
                assertThat(each.ask(FleetRun.toLoad(3, 5, 50))).isEmpty();
            }
            for (Companion each : List.of(one, other, one, other)) {
                assertThat(each.ask(FleetRun.toTakeATurn(50)))
                        .hasEntrySatisfying(
                                "perSecond", rate -> assertThat(rate).isPositive());
            }
        }
    }

    @Test
    @DisplayName("a companion that fails says at what")
    void failingCompanion() {
        try (LocalServer server = LocalServer.start();
                Companion companion = companion(server, FleetContender.SCRIPT)) {
            assertThatThrownBy(() -> companion.ask(FleetRun.toTakeATurn(50)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("turn 50")
                    .hasMessageContaining("no load yet");
        }
    }

    private static Companion companion(LocalServer server, FleetContender contender) {
        return Companion.start(List.of(), FleetRun.class, contender, server.port(), 0);
    }
}
