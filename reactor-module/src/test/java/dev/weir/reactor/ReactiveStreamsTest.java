package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.TestNG;

/** Runs the verifications of the Reactive Streams kit, which is written for another test framework. */
class ReactiveStreamsTest {

    private static final Results RESULTS = new Results();

    /** One kit for each, as a kit shares the errors it has seen between its tests. They mostly wait to see nothing. */
    @BeforeAll
    static void runTheKits() {
        List<Thread> kits = Stream.of(
                        Verifications.Instant.class,
                        Verifications.Paced.class,
                        Verifications.Shared.class,
                        Verifications.Call.class,
                        ElementSubscriberVerification.class)
                .map(verification -> new Thread(() -> runTheKit(verification)))
                .toList();
        kits.forEach(Thread::start);
        kits.forEach(kit -> assertThatNoException().isThrownBy(kit::join));
    }

    private static void runTheKit(Class<?> verification) {
        TestNG kit = new TestNG(false);
        kit.setVerbose(0);
        kit.setTestClasses(new Class<?>[] {verification});
        kit.addListener(RESULTS);
        kit.run();
    }

    @TestFactory
    @DisplayName("§1 and §3, permits at once")
    Stream<DynamicTest> instant() {
        return rules(Verifications.Instant.class);
    }

    @TestFactory
    @DisplayName("§1 and §3, permits by timer")
    Stream<DynamicTest> paced() {
        return rules(Verifications.Paced.class);
    }

    @TestFactory
    @DisplayName("§1 and §3, a shared limiter")
    Stream<DynamicTest> shared() {
        return rules(Verifications.Shared.class);
    }

    @TestFactory
    @DisplayName("§1 and §3, gated subscription")
    Stream<DynamicTest> call() {
        return rules(Verifications.Call.class);
    }

    @TestFactory
    @DisplayName("§2")
    Stream<DynamicTest> subscriber() {
        return rules(ElementSubscriberVerification.class);
    }

    private static Stream<DynamicTest> rules(Class<?> verification) {
        List<ITestResult> results = RESULTS.all.stream()
                .filter(result -> result.getTestClass().getRealClass() == verification)
                .toList();
        assertThat(results).hasSizeGreaterThan(20);
        return results.stream()
                .map(result -> DynamicTest.dynamicTest(result.getName(), () -> {
                    if (result.getStatus() == ITestResult.FAILURE) {
                        throw result.getThrowable();
                    }
                    assertThat(result.getStatus() == ITestResult.SUCCESS || isOptional(result))
                            .as("required, but skipped: %s", result.getThrowable())
                            .isTrue();
                }));
    }

    /** What the kit has names for but cannot test, and what publishers may do or leave. */
    private static boolean isOptional(ITestResult result) {
        return result.getName().startsWith("optional_") || result.getName().startsWith("untested_");
    }

    private static final class Results implements ITestListener {

        private final List<ITestResult> all = new CopyOnWriteArrayList<>();

        @Override
        public void onTestSuccess(ITestResult result) {
            all.add(result);
        }

        @Override
        public void onTestFailure(ITestResult result) {
            all.add(result);
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            all.add(result);
        }
    }
}
