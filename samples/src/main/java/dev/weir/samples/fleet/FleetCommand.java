package dev.weir.samples.fleet;

import dev.weir.samples.Failure;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import redis.embedded.RedisServer;

/** The command: starts a Redis, a site and four nodes, and reports which requests were granted and which arrived. */
public final class FleetCommand {

    private static final String USAGE = """
            usage: Fleet [--redis URI]

              --redis URI   a Redis or Valkey that is running, such as redis://127.0.0.1:6379, instead of one of its own
              --help        this text
            """;
    private static final int NODES = 4;
    private static final int PAGES = 30;

    private final PrintStream out;
    private final PrintStream err;

    private FleetCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command without blocking.
     *
     * @param args as {@code --help} explains
     * @param out where the report is printed
     * @param err where errors are printed
     * @return the exit code: 0 when all nodes are done, 1 if one of them failed or the store cannot be reached, 2 for invalid
     *     arguments
     */
    public static Mono<Integer> run(String[] args, PrintStream out, PrintStream err) {
        List<String> words = List.of(args);
        if (words.size() == 4 && words.get(0).equals("--node")) {
            return onOwnThread(FleetNode.run(words.get(1), words.get(2), words.get(3), PAGES, out, err));
        }
        if (words.equals(List.of("--help"))) {
            out.print(USAGE);
            return Mono.just(0);
        }
        boolean given = words.size() == 2 && words.get(0).equals("--redis");
        if (!given && !words.isEmpty()) {
            err.println("unknown option: " + String.join(" ", words));
            err.print(USAGE);
            return Mono.just(2);
        }
        FleetCommand command = new FleetCommand(out, err);
        return given ? command.runOn(words.get(1)) : command.runOnOwn();
    }

    private Mono<Integer> runOn(String uri) {
        RedisURI store;
        try {
            store = RedisURI.create(uri);
        } catch (IllegalArgumentException senseless) {
            err.println("--redis must be an address such as redis://127.0.0.1:6379, but is '" + uri + "'");
            return Mono.just(2);
        }
        return finished(crawl(uri, store));
    }

    private Mono<Integer> runOnOwn() {
        return finished(Mono.using(
                FleetCommand::start,
                redis -> {
                    String uri = "redis://127.0.0.1:" + redis.ports().get(0);
                    return crawl(uri, RedisURI.create(uri));
                },
                FleetCommand::stop));
    }

    private Mono<Integer> finished(Mono<?> work) {
        return onOwnThread(work.thenReturn(0).onErrorResume(error -> Mono.just(Failure.print(error, err))));
    }

    /** Runs on a separate thread, as starting servers and connecting block; a non-daemon thread, to keep the JVM alive. */
    private static Mono<Integer> onOwnThread(Mono<Integer> work) {
        return Mono.using(() -> Schedulers.newSingle("fleet", false), work::subscribeOn, Scheduler::dispose);
    }

    private Mono<Void> crawl(String uri, RedisURI store) {
        return Mono.usingWhen(
                StoreLog.open(store),
                log -> Mono.usingWhen(
                        FleetSite.open(NODES), site -> crawl(uri, store, log, site), FleetSite.Open::close),
                StoreLog::close);
    }

    private Mono<Void> crawl(String uri, RedisURI store, StoreLog log, FleetSite.Open site) {
        out.printf(
                "%d JVMs with %d pages each, one limit of %d per second on %s%n%n",
                NODES, PAGES, FleetNode.LIMIT.permits(), store);
        Mono<Decisions> nodes = Flux.range(1, NODES)
                .flatMap(node -> NodeProcess.run("node " + node, uri, site.url(), err), NODES)
                .reduce(Decisions::plus);
        return log.during(nodes)
                .doOnNext(decisions -> new FleetReport(log::grants, site.site()::requests, decisions).print(out))
                .then();
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
