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
    /** Behind a name, of whom it is. */
    private static final String WHOSE = "(?:`? \\(`?(Reactor|RxJava|both|[a-z]\\w*(?:-\\w+)*)`?\\))?";
    /** Tests, contracts and races are known by the ends of their names; a method or nested class may follow. */
    private static final Pattern NAMED = Pattern.compile(
            "(?<![*\\w])([A-Z]\\w*(?:Test|Contract|Laws|Stress|RealTime|VirtualThreads))\\b(?:\\.(\\w+))?" + WHOSE);
    /** A class and a method of it, as code, that is no test. */
    private static final Pattern PLACE = Pattern.compile("`(?!\\w+(?:Test|Stress)\\b)([A-Z]\\w*)\\.(\\w+)`" + WHOSE);

    private static final Map<String, List<String>> MODULES = Map.of(
            "Reactor", List.of("reactor-module"),
            "RxJava", List.of("rxjava-module"),
            "both", List.of("reactor-module", "rxjava-module"));

    @ParameterizedTest
    @ValueSource(strings = {"guarantees.md", "testing.md"})
    @DisplayName("every test that a page names is there")
    void everyNamedTestIsThere(String page) throws IOException {
        List<MatchResult> named = namedIn(Files.readString(ROOT.resolve("docs").resolve(page)));

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(unknown(named, DeclaredNames.ofTestsIn(Sources.tests()))).isEmpty();
    }

    @Test
    @DisplayName("every place in the core that survives a mutation, and every test beside it, is there")
    void everyNamedPlaceIsThere() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/mutation.md"));
        DeclaredNames places = DeclaredNames.in(Sources.ofModule("core"));
        List<MatchResult> named = PLACE.matcher(page).results().toList();

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(unknown(named, places)).isEmpty();
        assertThat(unknown(namedIn(page), DeclaredNames.ofTestsIn(Sources.tests())))
                .isEmpty();
    }

    @Test
    @DisplayName("a class that is nobody's is seen, and so is a method; what is no name is not taken for one")
    void seesWhatIsNotThere() {
        DeclaredNames declared =
                new DeclaredNames(Map.of("OneTest", Map.of("core", Set.of("OneTest", "holds", "Nested"))));
        String page = "`OneTest`, `OneTest.holds`, `OneTest.Nested`, `OneTest.falls` and `-Dtest=TwoTest`;"
                + " `*RealTimeTest`, `Limit.of`; in the end OneTest. Holds.";

        assertThat(unknown(namedIn(page), declared)).containsExactly("OneTest.falls", "TwoTest");
    }

    @Test
    @DisplayName("where several modules have a test of one name, it is said which is meant, and that one is there")
    void seesWhoseIsNotThere() {
        DeclaredNames declared = new DeclaredNames(Map.of(
                "OneTest",
                Map.of("reactor-module", Set.of("OneTest", "holds"), "rxjava-module", Set.of("OneTest")),
                "TwoTest",
                Map.of("reactor-module", Set.of("TwoTest"))));
        String page = "`OneTest` (both), `OneTest.holds` (Reactor), `OneTest` (`rxjava-module`), `TwoTest` (as ever),"
                + " `OneTest`, `OneTest.holds` (RxJava), `OneTest.holds` (both), `TwoTest` (both), `TwoTest` (core)";

        assertThat(unknown(namedIn(page), declared))
                .containsExactly(
                        "OneTest",
                        "OneTest.holds` (RxJava)",
                        "OneTest.holds` (both)",
                        "TwoTest` (both)",
                        "TwoTest` (core)");
    }

    @Test
    @DisplayName("a method that is no test shows nothing")
    void seesWhatIsNoTest() {
        Path here = ROOT.resolve("proof/src/test/java/dev/weir/proof/NamedTestsTest.java");
        DeclaredNames declared = DeclaredNames.ofTestsIn(List.of(here));

        assertThat(declared.haveIn("proof", "NamedTestsTest", "seesWhatIsNoTest"))
                .isTrue();
        assertThat(declared.haveIn("proof", "NamedTestsTest", "namedIn")).isFalse();
    }

    private static List<MatchResult> namedIn(String page) {
        return NAMED.matcher(page).results().toList();
    }

    private static List<String> unknown(List<MatchResult> named, DeclaredNames declared) {
        return named.stream()
                .filter(name -> !isDeclared(name, declared))
                .map(MatchResult::group)
                .distinct()
                .toList();
    }

    private static boolean isDeclared(MatchResult name, DeclaredNames declared) {
        String file = name.group(1);
        String member = name.group(2) == null ? file : name.group(2);
        String whose = name.group(3);
        return whose == null
                ? declared.haveOnce(file, member)
                : MODULES.getOrDefault(whose, List.of(whose)).stream()
                        .allMatch(module -> declared.haveIn(module, file, member));
    }
}
