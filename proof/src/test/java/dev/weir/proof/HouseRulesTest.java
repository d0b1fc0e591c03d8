package dev.weir.proof;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the house looks like, held against the classes of its modules. */
class HouseRulesTest {

    private static final JavaClasses CORE = PublishedModule.CORE.classes();
    private static final Pattern FLOATS =
            Pattern.compile("^(?!\\s*(\\*|/[/*])).*\\b([dD]ouble|[fF]loat|\\d+\\.\\d+)\\b");

    @ParameterizedTest
    @EnumSource
    @DisplayName("there are classes to look at")
    void thereAreClasses(PublishedModule module) {
        assertThat(module.classes()).hasSizeGreaterThan(module == PublishedModule.MICROMETER ? 1 : 10);
        assertThat(module.exportedPackages()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("arrows point to the core, which points to nothing; adapters do not know each other")
    void arrowsPointToTheCore(PublishedModule module) {
        String[] known = switch (module) {
            case CORE -> core();
            case TESTKIT -> core("dev.weir.testkit", "org.junit.jupiter.api..", "org.opentest4j..");
            case REACTOR -> core("dev.weir.reactor", "reactor..", "org.reactivestreams..");
            case RXJAVA -> core("dev.weir.rxjava", "io.reactivex.rxjava3..", "org.reactivestreams..");
            case REDIS -> core("dev.weir.redis", "io.lettuce..", "io.netty.buffer");
            case MICROMETER -> core("dev.weir.micrometer", "io.micrometer..");
            case WEBFLUX ->
                core(
                        "dev.weir.webflux",
                        "dev.weir.reactor",
                        "reactor..",
                        "org.reactivestreams..",
                        "org.springframework..",
                        "io.netty.handler.codec.http");
        };
        HouseRules.dependOnlyOn(known).check(module.classes());
    }

    private static String[] core(String... further) {
        String[] known = {
            "dev.weir", "dev.weir.limit", "dev.weir.time", "dev.weir.stream", "dev.weir.gate", "dev.weir.handle"
        };
        String[] all = Arrays.copyOf(known, known.length + further.length);
        System.arraycopy(further, 0, all, known.length, further.length);
        return all;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TESTKIT")
    @DisplayName("nothing parks but the blocking front door and the timer, on its own thread")
    void nothingParks(PublishedModule module) {
        HouseRules.nothingParks().check(module.classes());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("only the system time source reads the clock")
    void onlyTheSystemTimeSourceReadsTheClock(PublishedModule module) {
        HouseRules.onlyTheSystemTimeSourceReadsTheClock().check(module.classes());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TESTKIT")
    @DisplayName("only the package of time starts threads or owns a timer")
    void onlyTimeOwnsThreadsAndTimers(PublishedModule module) {
        HouseRules.onlyTimeOwnsThreadsAndTimers().check(module.classes());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("classes are final, and named for what they are")
    void classesAreFinalAndNamedForWhatTheyAre(PublishedModule module) {
        HouseRules.classesAreFinalAndNamedForWhatTheyAre().check(module.classes());
    }

    @ParameterizedTest
    @EnumSource(names = {"REACTOR", "RXJAVA"})
    @DisplayName("operators are final and package-private")
    void operatorsAreFinalAndPackagePrivate(PublishedModule module) {
        assertThat(module.classes().that(HouseRules.ARE_PARTS_OF_OPERATORS)).hasSizeGreaterThan(3);
        HouseRules.operatorsAreFinalAndPackagePrivate().check(module.classes());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("every package says that it is null-marked")
    void packagesAreNullMarked(PublishedModule module) {
        assertThat(module.classes().stream().map(type -> type.getPackage()).distinct())
                .allSatisfy(room -> assertThat(room.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
                        .as(room.getName())
                        .isTrue());
    }

    @Test
    @DisplayName(
            "arrows: handles know nobody, limit and time nobody else, the engine them, streams and gates the engine")
    void arrowsPointOneWay() {
        HouseRules.dependOnlyOn("dev.weir.handle").check(CORE.that(resideInAPackage("dev.weir.handle")));
        noClasses()
                .that(resideInAPackage("dev.weir.limit").or(resideInAPackage("dev.weir.time")))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir")
                        .or(resideInAPackage("dev.weir.stream"))
                        .or(resideInAPackage("dev.weir.gate")))
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir.limit"))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.time"))
                .because("time is an argument of the arithmetic")
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir"))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.stream").or(resideInAPackage("dev.weir.gate")))
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir.stream"))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.gate"))
                .check(CORE);
    }

    @Test
    @DisplayName("arithmetic is in integers")
    void arithmeticIsInIntegers() {
        List<Path> limits = Sources.ofModule("core").stream()
                .filter(file -> file.toString().contains("/dev/weir/limit/"))
                .toList();
        assertThat(limits).hasSizeGreaterThan(20);
        assertThat(limits)
                .allSatisfy(file -> assertThat(Sources.lines(file))
                        .as("numbers in %s", file)
                        .noneMatch(line -> FLOATS.matcher(line).find()));
        noClasses()
                .that(resideInAPackage("dev.weir.limit"))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(TimeUnit.class)
                .because("TimeUnit truncates")
                .check(CORE);
    }
}
