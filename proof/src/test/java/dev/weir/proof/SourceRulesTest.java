package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the house looks like, held against the sources of all its modules. */
class SourceRulesTest {

    private static final int LONGEST_FILE = 370;
    private static final Pattern SYNCHRONIZED = Pattern.compile("^(?!\\s*(\\*|/[/*])).*\\bsynchronized\\b");
    private static final Pattern SKIPS_OR_SLEEPS = Pattern.compile(
            "@Disabled|@Ignore|@EnabledIf|@DisabledIf|Assumptions\\.|assumeThat|assumeTrue|\\bsleep\\(|@RetryingTest");

    @Test
    @DisplayName("there are sources to look at")
    void thereAreSources() {
        assertThat(Sources.main()).hasSizeGreaterThan(20);
        assertThat(Sources.tests()).hasSizeGreaterThan(3);
    }

    @Test
    @DisplayName("one idea a file: about 350 lines at most")
    void filesAreShort() {
        assertThat(Sources.main())
                .allSatisfy(file ->
                        assertThat(Sources.lines(file)).as("lines of %s", file).hasSizeLessThanOrEqualTo(LONGEST_FILE));
    }

    @Test
    @DisplayName("no monitors, in blocks either")
    void noMonitors() {
        assertThat(Sources.main())
                .allSatisfy(file -> assertThat(Sources.lines(file))
                        .as("synchronized in %s", file)
                        .noneMatch(line -> SYNCHRONIZED.matcher(line).find()));
    }

    @Test
    @DisplayName("no test is skipped, sleeps or is tried again")
    void noTestIsSkippedOrSleeps() {
        assertThat(Sources.tests())
                .filteredOn(file -> !file.endsWith("SourceRulesTest.java"))
                .allSatisfy(file -> assertThat(Sources.lines(file))
                        .as("skipping or sleeping in %s", file)
                        .noneMatch(line -> SKIPS_OR_SLEEPS.matcher(line).find()));
    }

    @Test
    @DisplayName("what users see has a comment")
    void whatUsersSeeHasAComment() {
        List<Path> published = Sources.main().stream()
                .filter(file -> isPublished(moduleOf(file)))
                .toList();
        assertThat(published).hasSizeGreaterThan(20);
        assertThat(Documented.uncommentedIn(published)).isEmpty();
    }

    private static Path moduleOf(Path source) {
        Path module = source;
        while (!module.endsWith("src")) {
            module = module.getParent();
        }
        return module.getParent();
    }

    /** Whether it is a module to others: by declaration, or by a name in its manifest. */
    private static boolean isPublished(Path module) {
        return Files.exists(module.resolve("src/main/java/module-info.java"))
                || Sources.lines(module.resolve("pom.xml")).stream()
                        .anyMatch(line -> line.contains("<Automatic-Module-Name>"));
    }
}
