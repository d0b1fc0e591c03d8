package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the house looks like, held against the sources of all its modules. */
class SourceRulesTest {

    private static final int LONGEST_FILE = 370;
    private static final Pattern SYNCHRONIZED = Pattern.compile("^(?!\\s*(\\*|/[/*])).*\\bsynchronized\\b");
    private static final Pattern SKIPS_OR_SLEEPS = Pattern.compile(
            "@Disabled|@Ignore|@EnabledIf|@DisabledIf|Assumptions\\.|assumeThat|assumeTrue|\\bsleep\\(|@RetryingTest");

    /** What other languages than Java throw may be checked and undeclared. */
    private static final Pattern CATCHES_UNCHECKED_ONLY = Pattern.compile("catch \\(RuntimeException \\| Error\\b");

    /** What parks for a time or looks at the clock of the machine; to draw a seed from it is nothing else. */
    private static final Pattern OF_REAL_TIME =
            Pattern.compile("\\bpark(Nanos|Until)\\(|(?<!seed = )\\bSystem\\.(nanoTime|currentTimeMillis)\\(");

    /** Those that are of real time and have another name. */
    private static final Set<String> OTHERS_OF_REAL_TIME = Set.of(
            "NoPinningOnVirtualThreads.java", // run by itself, on a JDK that has them
            "RulesSeeTest.java", // offends on purpose
            "Session.java", // a part of the soak
            "SourceRulesTest.java", // has what is looked for
            "VirtualTimeTest.java"); // that a limiter of real time is not moved by virtual time

    @Test
    @DisplayName("there are sources to look at")
    void thereAreSources() {
        assertThat(Sources.main()).hasSizeGreaterThan(20);
        assertThat(Sources.tests()).hasSizeGreaterThan(3);
    }

    @Test
    @DisplayName("a file has one idea: about 350 lines at most")
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
    @DisplayName("who catches even errors catches whatever code of others throws, not only what is unchecked")
    void checkedExceptionsAreCaught() {
        assertThat(Sources.main())
                .hasSizeGreaterThan(200)
                .allSatisfy(file -> assertThat(Sources.lines(file))
                        .as("catch clauses of %s", file)
                        .noneMatch(line -> CATCHES_UNCHECKED_ONLY.matcher(line).find()));
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
    @DisplayName("only tests that say so are of real time")
    void realTimeIsNamed() {
        assertThat(Sources.tests())
                .filteredOn(file -> !file.toString().contains("RealTime"))
                .filteredOn(file -> !OTHERS_OF_REAL_TIME.contains(String.valueOf(file.getFileName())))
                .allSatisfy(file -> assertThat(Sources.lines(file))
                        .as("real time in %s", file)
                        .noneMatch(line -> OF_REAL_TIME.matcher(line).find()));
    }

    @ParameterizedTest
    @CsvSource({
        "LockSupport.parkNanos(1);, true",
        "long until = System.nanoTime() + 1;, true",
        "long seed = System.nanoTime();, false",
        "new TimerThread(System::nanoTime);, false"
    })
    @DisplayName("a line of real time is seen, and one that draws a seed is not taken for one")
    void realTimeIsSeen(String line, boolean isOfRealTime) {
        assertThat(OF_REAL_TIME.matcher(line).find()).isEqualTo(isOfRealTime);
    }

    @Test
    @DisplayName("a published type or member has a comment")
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
