package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That faults are found, and what is printed then: with limits that were broken on purpose. */
class ShrinkerTest {

    /** Grants what is a nanosecond away. */
    private static Limit early(Limit limit) {
        return new DisguisedLimit(limit, (policy, method, arguments) -> {
            Object answer = DisguisedLimit.call(policy, method, arguments);
            return method.getName().startsWith("tryTake") && answer.equals(1L) ? PermitPolicy.TAKEN : answer;
        });
    }

    /** Forgets what is given back. */
    private static Limit forgetful(Limit limit) {
        return new DisguisedLimit(
                limit,
                (policy, method, arguments) ->
                        method.getName().equals("giveBack") ? null : DisguisedLimit.call(policy, method, arguments));
    }

    @Test
    @DisplayName("a limit that grants a nanosecond early is found, and two requests are left of a long script")
    void findsWhatIsEarly() {
        Script shortest = shrink(firstFailing(ShrinkerTest::early), ShrinkerTest::early);
        assertThat(shortest.source("grantsEarly")).isEqualTo("""
                        @Test
                        void grantsEarly() {
                            Script.on(Setup.of(new LeakyBucket(5, Duration.ofNanos(5), 0)))
                                    .tryAcquire(1, 1)
                                    .acquire(2, 0)
                                    .play();
                        }
                        """);
    }

    @Test
    @DisplayName("a limit that forgets what is given back is found, by one request that is")
    void findsWhatIsForgotten() {
        Script shortest = shrink(firstFailing(ShrinkerTest::forgetful), ShrinkerTest::forgetful);
        assertThat(shortest.source("forgets")).isEqualTo("""
                        @Test
                        void forgets() {
                            Script.on(Setup.of(new SlidingWindowLog(2, Duration.ofNanos(7))))
                                    .tryAcquire(1, 1)
                                    .giveBack(1)
                                    .play();
                        }
                        """);
    }

    @Test
    @DisplayName("a printed script is a test that compiles")
    void printsTestsThatCompile() throws IOException {
        List<String> tests = LongStream.range(1, 50)
                .mapToObj(seed -> RandomScripts.of(seed).source("ofSeed" + seed))
                .toList();
        assertThat(compiles(String.join("\n", tests))).isTrue();
        assertThat(compiles("@Test void broken() { Script.on(1); }")).isFalse();
    }

    @Test
    @DisplayName("a script that fails says where, what was heard and what the model says")
    void saysWhereItFails() {
        Script script = Script.on(Setup.of(Limit.of(1, Duration.ofNanos(5))))
                .tryAcquire(1, 1)
                .advance(4)
                .tryAcquire(2, 1);
        script.play();
        assertThat(script.difference(ShrinkerTest::early))
                .contains(
                        "step 3, .tryAcquire(2, 1): heard"
                                + " [at 4: observer: acquired 1 after 0, at 4: request 2 granted 1], but the model"
                                + " [at 4: observer: refused 1, EXHAUSTED, at 4: request 2 refused 1, EXHAUSTED, retry after 1]");
    }

    private static Script firstFailing(UnaryOperator<Limit> planted) {
        return LongStream.range(1, 1_000)
                .mapToObj(RandomScripts::of)
                .filter(script -> script.difference(planted).isPresent())
                .findFirst()
                .orElseThrow();
    }

    private static Script shrink(Script failing, UnaryOperator<Limit> planted) {
        assertThat(failing.difference(planted)).isPresent();
        return new Shrinker(script -> script.difference(planted).isPresent()).shrink(failing);
    }

    private static boolean compiles(String tests) throws IOException {
        String source = "package dev.weir.model; import dev.weir.limit.*; import java.time.Duration;"
                + " import org.junit.jupiter.api.Test; class Pasted {\n" + tests + "}";
        SimpleJavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///dev/weir/model/Pasted.java"), SimpleJavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options = List.of("-proc:none", "-cp", System.getProperty("java.class.path"));
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavacTask task = (JavacTask)
                ToolProvider.getSystemJavaCompiler().getTask(null, null, found, options, null, List.of(file));
        task.analyze();
        return found.getDiagnostics().stream().noneMatch(one -> one.getKind() == Diagnostic.Kind.ERROR);
    }
}
