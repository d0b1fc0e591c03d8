package dev.weir.samples.fleet;

import dev.weir.samples.Intervals;
import dev.weir.time.TimeSource;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import redis.embedded.RedisServer;

/** The command: a Redis, a site, four nodes, and what the site saw of them. */
public final class FleetCommand {

    private static final String USAGE = "usage: Fleet [--redis URI]\n";
    private static final int NODES = 4;
    private static final int PAGES = 30;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final PrintStream out;
    private final TimeSource clock = TimeSource.system();
    private final Queue<Long> requests = new ConcurrentLinkedQueue<>();

    private FleetCommand(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs without blocking.
     *
     * @param args as {@code --help} explains
     * @param out where the report goes
     * @param err where complaints go
     * @return the exit code: 0 when all nodes are done, 1 when one of them failed, 2 for arguments that make no sense
     */
    public static Mono<Integer> run(String[] args, PrintStream out, PrintStream err) {
        List<String> words = List.of(args);
        if (words.size() == 4 && words.get(0).equals("--node")) {
            return onOwnThread(FleetNode.run(words.get(1), words.get(2), words.get(3), PAGES));
        }
        boolean given = words.size() == 2 && words.get(0).equals("--redis");
        if (!given && !words.isEmpty()) {
            (words.contains("--help") ? out : err).print(USAGE);
            return Mono.just(words.contains("--help") ? 0 : 2);
        }
        Optional<String> redis = given ? Optional.of(words.get(1)) : Optional.empty();
        return onOwnThread(new FleetCommand(out).run(redis).onErrorResume(error -> {
            err.println(error);
            return Mono.just(1);
        }));
    }

    /** Starting servers and connecting block; and a thread that is no daemon keeps the JVM until all is done. */
    private static Mono<Integer> onOwnThread(Mono<Integer> work) {
        return Mono.using(() -> Schedulers.newSingle("fleet", false), work::subscribeOn, Scheduler::dispose);
    }

    private Mono<Integer> run(Optional<String> redis) {
        return redis.map(this::crawl).orElseGet(() -> Mono.using(FleetCommand::start, this::crawl, FleetCommand::stop));
    }

    private Mono<Integer> crawl(RedisServer redis) {
        return crawl("redis://127.0.0.1:" + redis.ports().get(0));
    }

    private Mono<Integer> crawl(String redis) {
        return Mono.usingWhen(site(), site -> crawl(redis, site), site -> {
            site.dispose();
            return site.onDispose();
        });
    }

    private Mono<? extends DisposableServer> site() {
        return HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .route(routes -> routes.get(
                                "/robots.txt", (request, response) -> response.sendString(Mono.just("Crawl-delay: 1")))
                        .get("/page/{number}", (request, response) -> {
                            requests.add(clock.nanoTime());
                            return response.sendString(Mono.just("page"));
                        }))
                .bind();
    }

    private Mono<Integer> crawl(String redis, DisposableServer site) {
        out.printf(
                "%d JVMs with %d pages each, one limit of %d per second on %s%n%n",
                NODES, PAGES, FleetNode.LIMIT.permits(), redis);
        return Flux.range(1, NODES)
                .flatMap(node -> node(node, redis, site.port()))
                .reduce(Math::max)
                .doOnNext(exit -> report());
    }

    private Mono<Integer> node(int number, String redis, int sitePort) {
        return Mono.using(
                () -> new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-classpath",
                                System.getProperty("java.class.path"),
                                "dev.weir.samples.Fleet",
                                "--node",
                                "node " + number,
                                redis,
                                "http://127.0.0.1:" + sitePort)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(nowhere()))
                        .start(),
                process -> Mono.fromFuture(process.onExit(), true).map(Process::exitValue),
                Process::destroy);
    }

    private static File nowhere() {
        return new File(System.getProperty("os.name", "").startsWith("Windows") ? "NUL" : "/dev/null");
    }

    private void report() {
        long[] times = requests.stream().mapToLong(Long::longValue).sorted().toArray();
        if (times.length == 0) {
            return;
        }
        out.println("second  requests");
        for (long from = 0; from <= times[times.length - 1] - times[0]; from += SECOND.toNanos()) {
            long begin = times[0] + from;
            long count = Arrays.stream(times)
                    .filter(time -> time >= begin && time - begin < SECOND.toNanos())
                    .count();
            out.printf(Locale.ROOT, "%6d  %8d  %s%n", from / SECOND.toNanos() + 1, count, "*".repeat((int) count));
        }
        out.printf(
                "%n%d requests; the most in any second, wherever it begins: %d%n",
                times.length, Intervals.mostInAny(Arrays.stream(times), SECOND));
    }

    private static RedisServer start() throws IOException {
        RedisServer redis = RedisServer.newRedisServer()
                .port(freePort())
                .setting("bind 127.0.0.1")
                .setting("save \"\"")
                .build();
        redis.start();
        return redis;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void stop(@Nullable RedisServer redis) {
        try {
            if (redis != null) {
                redis.stop();
            }
        } catch (IOException alreadyGone) {
            throw new UncheckedIOException(alreadyGone);
        }
    }
}
