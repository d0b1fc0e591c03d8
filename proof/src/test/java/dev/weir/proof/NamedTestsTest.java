package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages that say which test shows what, and which method is shown by none, name tests and methods that there are. */
class NamedTestsTest {

    private static final Path ROOT = Path.of("..");
    /** Tests, contracts and races are known by the ends of their names; a method or nested class may follow. */
    private static final Pattern NAMED = Pattern.compile(
            "(?<![*\\w])([A-Z]\\w*(?:Test|Contract|Laws|Stress|RealTime|VirtualThreads))\\b(?:\\.(\\w+))?");
    /** A class and a method of it, as code, that is no test. */
    private static final Pattern PLACE = Pattern.compile("`(?!\\w+(?:Test|Stress)\\b)([A-Z]\\w*)\\.(\\w+)`");

    @ParameterizedTest
    @ValueSource(strings = {"guarantees.md", "testing.md"})
    @DisplayName("every test that a page names is there")
    void everyNamedTestIsThere(String page) throws IOException {
        List<MatchResult> named = namedIn(Files.readString(ROOT.resolve("docs").resolve(page)));

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(unknown(named, DeclaredNames.in(Sources.tests()))).isEmpty();
    }

    @Test
    @DisplayName("every place in the core that survives a mutation, and every test beside it, is there")
    void everyNamedPlaceIsThere() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/mutation.md"));
        Map<String, Set<String>> places = DeclaredNames.in(Sources.ofModule("core"));
        List<MatchResult> named = PLACE.matcher(page).results().toList();

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(unknown(named, places)).isEmpty();
        assertThat(unknown(namedIn(page), DeclaredNames.in(Sources.tests()))).isEmpty();
    }

    @Test
    @DisplayName("a class that is nobody's is seen, and so is a method; what is no name is not taken for one")
    void seesWhatIsNotThere() {
        Map<String, Set<String>> declared = Map.of("OneTest", Set.of("OneTest", "holds", "Nested"));
        String page = "`OneTest`, `OneTest.holds`, `OneTest.Nested`, `OneTest.falls` and `-Dtest=TwoTest`;"
                + " `*RealTimeTest`, `Limit.of`; in the end OneTest. Holds.";

        assertThat(unknown(namedIn(page), declared)).containsExactly("OneTest.falls", "TwoTest");
    }

    private static List<MatchResult> namedIn(String page) {
        return NAMED.matcher(page).results().toList();
    }

    private static List<String> unknown(List<MatchResult> named, Map<String, Set<String>> declared) {
        return named.stream()
                .filter(name -> !isDeclared(name, declared))
                .map(MatchResult::group)
                .distinct()
                .toList();
    }

    private static boolean isDeclared(MatchResult name, Map<String, Set<String>> declared) {
        String member = name.group(2) == null ? name.group(1) : name.group(2);
        return declared.getOrDefault(name.group(1), Set.of()).contains(member);
    }
}
