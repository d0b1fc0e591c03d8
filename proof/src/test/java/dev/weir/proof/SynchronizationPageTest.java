package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code docs/synchronization.md} names what threads share: in the first column of the tables under a heading that begins
 * with the name of a module, as {@code `Class.field`}.
 */
class SynchronizationPageTest {

    private static final Path PAGE = Path.of("..", "docs", "synchronization.md");
    private static final String HEADING = "## ";
    private static final Pattern FIELD = Pattern.compile("`([\\w.]+)`");

    @ParameterizedTest
    @ValueSource(strings = {"core", "reactor-module", "rxjava-module", "redis-module", "webflux-module"})
    @DisplayName("every field that is volatile, atomic or behind a VarHandle is on the page")
    void everySharedFieldIsOnThePage(String module) throws IOException {
        Set<String> shared = SharedFields.in(Sources.ofModule(module)).shared();
        assertThat(shared).isNotEmpty();
        assertThat(fieldsOnThePage(module))
                .as("fields of %s in the tables of %s", module, PAGE)
                .containsAll(shared);
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "reactor-module", "rxjava-module", "redis-module", "webflux-module"})
    @DisplayName("every field on the page is there")
    void everyFieldOnThePageIsThere(String module) throws IOException {
        assertThat(SharedFields.in(Sources.ofModule(module)).all())
                .as("fields of %s", module)
                .containsAll(fieldsOnThePage(module));
    }

    @Test
    @DisplayName("a field that threads can share is seen, and no other")
    void sharedFieldsAreSeen(@TempDir Path folder) throws IOException {
        Path source = folder.resolve("Shared.java");
        Files.writeString(source, """
                class Shared {
                    private static final VarHandle PLAIN = lookup().findVarHandle(Inner.class, "plain", int.class);
                    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
                    private final AtomicReference<Object> reference = new AtomicReference<>();
                    private final java.util.concurrent.atomic.LongAdder adder = new LongAdder();
                    private final Map<String, AtomicLong> counts = Map.of();
                    private final long[] elements = new long[1];
                    private final long[] others = new long[1];
                    private int mine;
                    static class Inner {
                        volatile boolean loud;
                        int plain;
                        int quiet;
                    }
                    static class Link extends AtomicReference<Link> {}
                    long read(AtomicLong given) {
                        AtomicLong local = given;
                        return (long) ELEMENT.getVolatile(elements, 0) + others[0] + local.get();
                    }
                }
                """);
        SharedFields found = SharedFields.in(List.of(source));
        assertThat(found.shared())
                .containsExactlyInAnyOrder(
                        "Shared.reference",
                        "Shared.adder",
                        "Shared.counts",
                        "Shared.elements",
                        "Shared.Inner.loud",
                        "Shared.Inner.plain",
                        "Shared.Link.itself");
        assertThat(found.all()).contains("Shared.others", "Shared.mine", "Shared.Inner.quiet");
    }

    private static Set<String> fieldsOnThePage(String module) throws IOException {
        Set<String> fields = new TreeSet<>();
        boolean isOfModule = false;
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith(HEADING)) {
                String heading = line.substring(HEADING.length());
                isOfModule = heading.equals(module) || heading.startsWith(module + ":");
            } else if (isOfModule && line.startsWith("| `")) {
                Matcher field = FIELD.matcher(line.substring(0, line.indexOf('|', 1)));
                while (field.find()) {
                    fields.add(field.group(1));
                }
            }
        }
        return fields;
    }
}
