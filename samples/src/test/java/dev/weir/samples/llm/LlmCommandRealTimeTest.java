package dev.weir.samples.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.samples.BrokenStream;
import dev.weir.samples.LoopThreads;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the sample, which takes a few seconds. */
class LlmCommandRealTimeTest {

    @Test
    void everyQuestionIsAnsweredOnceAndRefusalsCostNothing() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        assertThat(LlmCommand.run(new String[0], print, print).block(Duration.ofSeconds(60)))
                .isZero();

        List<String[]> rows = out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("question"))
                .map(line -> line.strip().split(" +", 6))
                .toList();
        assertThat(rows)
                .filteredOn(row -> row[2].equals("200"))
                .extracting(row -> row[5])
                .hasSize(12)
                .doesNotHaveDuplicates();
        assertThat(rows)
                .filteredOn(row -> row[2].equals("429"))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row[4]).isEqualTo("0"));
    }

    @Test
    void aFailureIsSaidInOneLineAndNoThreadIsLeft() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream complaints = new PrintStream(err, true, StandardCharsets.UTF_8);

        assertThat(LlmCommand.run(new String[0], BrokenStream.open(), complaints)
                        .block(Duration.ofSeconds(60)))
                .isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8)).hasLineCount(1).contains("no space left");
        LoopThreads.assertNoneIsLeft("model");
    }

    @Test
    void argumentsAreRefused() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);

        assertThat(LlmCommand.run(new String[] {"--fast"}, print, print).block(Duration.ofSeconds(60)))
                .isEqualTo(2);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("unknown option: --fast");
    }
}
