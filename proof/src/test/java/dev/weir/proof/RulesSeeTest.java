package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Rules that find nothing are worth only as much as what they would find. */
class RulesSeeTest {

    private static final JavaClasses OFFENDERS = new ClassFileImporter()
            .importClasses(
                    Waits.class,
                    Joins.class,
                    Asks.class,
                    Refers.class,
                    Ticks.class,
                    TicksByReference.class,
                    Owns.class,
                    Forks.class,
                    ForksByReference.class,
                    Locks.class,
                    ThingUtil.class,
                    Open.class);

    static Stream<Arguments> offences() {
        return Stream.of(
                offence(HouseRules.nothingParks(), Waits.class),
                offence(HouseRules.nothingParks(), Joins.class),
                offence(HouseRules.nothingParks(), Asks.class),
                offence(HouseRules.nothingParks(), Locks.class),
                offence(HouseRules.nothingParks(), Refers.class),
                offence(HouseRules.onlyTheSystemTimeSourceReadsTheClock(), Ticks.class),
                offence(HouseRules.onlyTheSystemTimeSourceReadsTheClock(), TicksByReference.class),
                offence(HouseRules.onlyTimeOwnsThreadsAndTimers(), Owns.class),
                offence(HouseRules.onlyTimeOwnsThreadsAndTimers(), Forks.class),
                offence(HouseRules.onlyTimeOwnsThreadsAndTimers(), ForksByReference.class),
                offence(HouseRules.classesAreFinalAndNamedForWhatTheyAre(), ThingUtil.class),
                offence(HouseRules.classesAreFinalAndNamedForWhatTheyAre(), Open.class),
                offence(HouseRules.dependOnlyOn("dev.weir..", "org.reactivestreams.."), Asks.class));
    }

    private static Arguments offence(ArchRule rule, Class<?> offender) {
        return Arguments.of(rule, offender);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("offences")
    @DisplayName("a rule of the house sees who breaks it")
    void seesTheOffender(ArchRule rule, Class<?> offender) {
        assertThat(rule.evaluate(OFFENDERS).getFailureReport().getDetails())
                .anySatisfy(line -> assertThat(line).contains(offender.getName()));
    }

    @Test
    @DisplayName("an operator that users could extend is seen")
    void seesTheOpenOperator() {
        JavaClasses operator = new ClassFileImporter().importClasses(OpenOperator.class);
        assertThat(HouseRules.operatorsAreFinalAndPackagePrivate()
                        .evaluate(operator)
                        .hasViolation())
                .isTrue();
    }

    @Test
    @DisplayName("a member without a comment is seen if users can see it")
    void seesWhatHasNoComment(@TempDir Path folder) throws IOException {
        Path source = folder.resolve("Said.java");
        Files.writeString(source, """
                /** Said. */
                public interface Said {
                    /** Said. */
                    int SAID = 1;
                    int unsaid();
                    record Unsaid() { public Unsaid {} @Override public String toString() { return ""; } }
                    private void own() {}
                }
                final class Hidden { public void hidden() {} }
                """);
        assertThat(Documented.uncommentedIn(List.of(source)))
                .map(line -> line.replaceFirst(" in .*", ""))
                .containsExactly("unsaid", "Unsaid");
    }

    static final class Waits {
        int waits(CompletableFuture<Integer> future) {
            return future.join();
        }
    }

    static final class Joins {
        void joins(Thread other) throws InterruptedException {
            TimeUnit.SECONDS.timedJoin(other, 1);
        }
    }

    static final class Asks {
        String asks(Mono<String> mono) {
            return mono.block();
        }
    }

    static final class Locks {
        synchronized void locks() {}
    }

    static final class Ticks {
        long ticks() {
            return System.nanoTime();
        }
    }

    static final class Refers {
        Function<CompletableFuture<Integer>, Integer> refers() {
            return CompletableFuture::join;
        }
    }

    static final class TicksByReference {
        LongSupplier ticks() {
            return System::nanoTime;
        }
    }

    static final class Forks {
        Thread forks(Runnable task) {
            return new Thread(null, task, "named");
        }
    }

    static final class ForksByReference {
        ThreadFactory forks() {
            return Thread::new;
        }
    }

    static final class Owns {
        final Timer timer = new Timer(true);
    }

    static final class ThingUtil {}

    static class Open {}
}
