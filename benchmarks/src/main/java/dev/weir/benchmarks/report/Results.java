package dev.weir.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All that one run measured.
 *
 * @param date when it began
 * @param command how to do the same again
 * @param machine what it ran on
 * @param rows what was measured
 */
public record Results(String date, String command, Machine machine, List<Row> rows) {

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    public static Results begun(String command) {
        String date = Instant.now().truncatedTo(ChronoUnit.MINUTES).toString();
        return new Results(date, command, Machine.present(), List.of());
    }

    public Results with(List<Row> rows) {
        return new Results(date, command, machine, rows);
    }

    Stream<Row> of(String section, Map<String, String> setting) {
        return rows.stream()
                .filter(row -> row.section().equals(section)
                        && row.setting().entrySet().containsAll(setting.entrySet()));
    }

    public static Results read(Path file) throws IOException {
        return JSON.readValue(file.toFile(), Results.class);
    }

    public void write(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, JSON.writeValueAsString(this) + "\n");
    }
}
