package dev.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitRateTablesTest {

    private final List<String> tables = tables();

    @Test
    void oneCallerFinishesWhatTheLimitAdmits() {
        assertThat(column(tables.get(1), 2))
                .containsExactly("0.00", "0.25", "1.00", "1.25", "2.00", "2.25", "3.00", "3.25", "4.00", "4.25");
    }

    @Test
    void threeCallersAreNotFaster() {
        assertThat(column(tables.get(3), 2))
                .containsExactly("0.00", "0.00", "1.00", "1.00", "2.00", "2.00", "3.00", "3.00", "4.00", "4.00");
        assertThat(column(tables.get(3), 1)).contains("1", "2", "3");
    }

    @Test
    void twentyItemsGoInFours() {
        List<String> seconds = column(tables.get(5), 1);
        assertThat(seconds).hasSize(20);
        for (int item = 0; item < 20; item++) {
            assertThat(seconds.get(item)).isEqualTo(item / 5 + ".00");
        }
    }

    @Test
    void newestFirstChoosesWhenThePermitComes() {
        List<String> fates = tables.get(7)
                .lines()
                .skip(1)
                .map(row -> row.strip().split(" +", 3)[2])
                .toList();

        assertThat(fates)
                .hasSize(20)
                .startsWith("goes      0.00", "goes      0.10", "evicted   0.60", "evicted   0.70");
        // At one second, the newest of those that have come by then.
        assertThat(fates).filteredOn(fate -> fate.equals("goes      1.00")).hasSize(1);
        assertThat(fates).filteredOn(fate -> fate.startsWith("evicted")).hasSizeGreaterThan(8);
    }

    @Test
    void argumentsAreRefusedButForHelp() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream complaints = new PrintStream(err, true, StandardCharsets.UTF_8);

        assertThat(LimitRateTables.run(new String[] {"--fast"}, print, complaints))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("unknown option: --fast");
        assertThat(out.size()).isZero();

        assertThat(LimitRateTables.run(new String[] {"--help"}, print, complaints))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage: LimitRateTables");
    }

    private static List<String> tables() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LimitRateTables.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        // A title, then its table, and so on.
        return Arrays.stream(out.toString(StandardCharsets.UTF_8).strip().split("\\R\\R"))
                .toList();
    }

    private static List<String> column(String table, int column) {
        return table.lines()
                .skip(1)
                .map(row -> row.strip().split(" +", -1)[column])
                .toList();
    }
}
