package dev.weir.samples.docs;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A code block made into a class that can be compiled: the block is the body of a method, or else imports. */
final class Snippet {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all: what takes longest is to open the libraries. */
    private static final JavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private static final String IMPORTS = """
            import static java.nio.charset.StandardCharsets.UTF_8;
            import static java.time.Duration.*;

            import dev.weir.*;
            import dev.weir.limit.*;
            import dev.weir.redis.*;
            import dev.weir.stream.*;
            import dev.weir.testkit.*;
            import dev.weir.time.*;
            import io.lettuce.core.ClientOptions;
            import io.lettuce.core.SocketOptions;
            import io.lettuce.core.TimeoutOptions;
            import java.io.*;
            import java.net.*;
            import java.security.Principal;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.concurrent.atomic.*;
            import java.util.function.*;
            """;

    private static final String REACTOR = """
            import dev.weir.reactor.*;
            import reactor.core.publisher.*;
            import reactor.core.scheduler.*;
            import reactor.test.*;
            import reactor.test.scheduler.*;
            import reactor.util.retry.*;
            import dev.weir.micrometer.*;
            import dev.weir.webflux.*;
            import io.micrometer.core.instrument.*;
            import io.micrometer.core.instrument.simple.*;
            import org.springframework.context.annotation.*;
            import org.springframework.http.HttpStatus;
            import org.springframework.http.MediaType;
            import org.springframework.http.ResponseEntity;
            import org.springframework.http.client.ClientHttpRequestInterceptor;
            import org.springframework.http.server.reactive.ServerHttpResponse;
            import org.springframework.web.bind.annotation.ExceptionHandler;
            import org.springframework.web.bind.annotation.RestControllerAdvice;
            import org.springframework.web.reactive.function.client.*;
            import org.springframework.web.reactive.function.server.*;
            import org.springframework.web.reactive.result.method.annotation.*;
            import org.springframework.web.server.*;

            abstract class Snippet {
                interface Client { Mono<Page> fetch(String url); }
                interface Model { Mono<Answer> complete(String prompt); }
                Model model;
                Flux<String> urls;
                Flux<String> records;
                abstract Mono<Void> process(String record);
                interface HttpServletRequest { String getRemoteUser(); }
                interface HttpServletResponse {
                    void setHeader(String name, String value);
                    void setStatus(int status);
                }
                static class ServletException extends Exception {}
                interface FilterChain {
                    void doFilter(HttpServletRequest request, HttpServletResponse response)
                            throws ServletException, IOException;
                }
                abstract static class OncePerRequestFilter {
                    protected abstract void doFilterInternal(
                            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                            throws ServletException, IOException;
                }
            """;

    private static final String RXJAVA = """
            import dev.weir.rxjava.*;
            import io.reactivex.rxjava3.core.*;
            import io.reactivex.rxjava3.plugins.*;
            import io.reactivex.rxjava3.schedulers.*;
            import io.reactivex.rxjava3.subscribers.*;

            abstract class Snippet {
                interface Client { Single<Page> fetch(String url); }
                interface Model { Single<Answer> complete(String prompt); }
                Model model;
                Flowable<String> urls;
            """;

    private static final String COMMON = """
                record Page(String url, String text) {}
                record Answer(String text, int tokens) {}
                record ConsumerRecord<K, V>(K key, V value) {}
                interface ConsumerRecords<K, V> extends Iterable<ConsumerRecord<K, V>> {}
                interface Poller { ConsumerRecords<String, String> poll(Duration longest); }
                record MyLimit(int permits, Duration period) implements Limit {
                    public int capacity() { return permits; }
                    public PermitPolicy newPolicy(long now) { return Limit.of(permits, period).newPolicy(now); }
                }
                Client client;
                Poller consumer;
                RateLimiter limiter;
                RateLimiter budget;
                RateLimiter room;
                abstract String call();
                PartitionedRateLimiter<String> perUser;
                PartitionedRateLimiter<String> perHost;
                io.lettuce.core.RedisClient redisClient;
                void snippet() throws Exception {
            """;

    // A block may leave out the last semicolon; where it does not, another one does no harm.
    private static final String END = "\n;}}\n";

    private final CodeBlock block;
    private final String prologue;
    private final String end;

    Snippet(CodeBlock block) {
        boolean isImports = block.code().startsWith("import ");
        this.block = block;
        this.prologue = isImports ? "" : IMPORTS + (isRxJava(block) ? RXJAVA : REACTOR) + COMMON;
        this.end = isImports ? "\nabstract class Snippet {}\n" : END;
    }

    private static boolean isRxJava(CodeBlock block) {
        return block.code().matches("(?s).*(\\.compose\\(|\\b(Flowable|Observable|Single|Maybe|Completable)\\b).*");
    }

    /** What the compiler has to say, with the lines of the page; nothing if it compiles. */
    List<String> errors(Path classes) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        List<String> options = List.of(
                "-proc:none",
                "-implicit:none",
                "-d",
                classes.toString(),
                "-classpath",
                System.getProperty("java.class.path"));
        COMPILER.getTask(new StringWriter(), FILES, diagnostics, options, null, List.of(source()))
                .call();
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(this::describe)
                .collect(Collectors.toList());
    }

    private String describe(Diagnostic<?> diagnostic) {
        long lineInBlock = diagnostic.getLineNumber() - prologue.lines().count() - 1;
        return block.page() + ":" + (block.line() + lineInBlock) + ": " + diagnostic.getMessage(null);
    }

    private JavaFileObject source() {
        String text = prologue + block.code() + end;
        return new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
