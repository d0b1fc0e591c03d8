package dev.weir.samples.gateway;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.samples.GrantClock;
import dev.weir.time.TimeSource;
import dev.weir.webflux.ClientAddress;
import dev.weir.webflux.HeaderStyle;
import dev.weir.webflux.RateLimitHandlerFilter;
import dev.weir.webflux.RequestKey;
import dev.weir.webflux.RequestLimits;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The endpoints: four with limits, two without for comparison, and a page that shows the state of the limits. */
final class Endpoints {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(250);

    private final GrantClock clock = new GrantClock(TimeSource.system());
    private final Queue<Long> grants = new ConcurrentLinkedQueue<>();
    private final Lights refusing = new Lights("refuse", () -> grants.add(clock.lastReadHere()));
    private final Lights waiting = new Lights("wait");
    private final Lights perUser = new Lights("per-user");
    private final Lights several = new Lights("several");

    /** Returns when each request to {@code /refuse} was granted, by the clock of its limiter. */
    List<Long> grants() {
        return List.copyOf(grants);
    }

    RouterFunction<ServerResponse> routes(int permitsPerSecond) {
        RouterFunction<ServerResponse> page = RouterFunctions.route()
                .GET(
                        "/",
                        request -> ServerResponse.ok()
                                .contentType(MediaType.TEXT_HTML)
                                .bodyValue(new ClassPathResource("gateway.html", Endpoints.class)))
                .GET(
                        "/live",
                        request -> ServerResponse.ok()
                                .contentType(MediaType.TEXT_EVENT_STREAM)
                                .body(live(), String.class))
                .GET("/free", request -> ok())
                .build();
        return page.and(limited("/open", openToAll()))
                .and(limited("/refuse", refuseAbove(permitsPerSecond)))
                .and(limited("/wait", waitInLine(permitsPerSecond)))
                .and(limited("/per-user", eachUser()))
                .and(limited("/several", severalAtOnce()));
    }

    private static Mono<ServerResponse> ok() {
        return ServerResponse.ok().bodyValue("ok\n");
    }

    private static RouterFunction<ServerResponse> limited(String path, RequestLimits limits) {
        return RouterFunctions.route()
                .GET(path, request -> ok())
                .filter(RateLimitHandlerFilter.with(limits))
                .build();
    }

    private static RequestLimits openToAll() {
        return RequestLimits.builder()
                .limit(RateLimiter.of(Limit.tokenBucket(1_000_000, 1_000_000, SECOND)))
                .build();
    }

    /** Refuses requests above the limit with 429. */
    private RequestLimits refuseAbove(int permitsPerSecond) {
        RateLimiter limiter = RateLimiter.builder(Limit.of(permitsPerSecond, SECOND))
                .name("refuse")
                .timeSource(clock)
                .observer(refusing)
                .build();
        return show(limiter, refusing);
    }

    /** Queues requests above the limit, and refuses them with 429 when the queue is too long. */
    private RequestLimits waitInLine(int permitsPerSecond) {
        RateLimiter limiter = RateLimiter.builder(Limit.leakyBucket(Math.max(1, permitsPerSecond / 10), SECOND))
                .name("wait")
                .queueLimit(500)
                .observer(waiting)
                .build();
        waiting.read(limiter::availablePermits, () -> limiter.statistics().queuedPermits());
        return RequestLimits.builder()
                .limit(limiter)
                .waiting()
                .headers(HeaderStyle.DRAFT_11)
                .build();
    }

    /** Limits each user separately; all requests that name no user share one limit. */
    private RequestLimits eachUser() {
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(user -> Limit.of(5, SECOND))
                .name("per-user")
                .maximumKeys(10_000)
                .overflowTo(Limit.of(50, SECOND))
                .observer(perUser)
                .build();
        return RequestLimits.builder()
                .limit(RequestKey.header("X-User"), limiters)
                .headers(HeaderStyle.DRAFT_11)
                .build();
    }

    /**
     * Applies three limits at once: per address, for all clients together, and for concurrency. What any of them refuses counts as
     * refused; what the last one grants has been granted by the others, and counts as admitted.
     */
    private RequestLimits severalAtOnce() {
        RateLimiter room = RateLimiter.builder(Limit.concurrency(10))
                .name("room")
                .observer(several.ofRefusals())
                .build();
        PartitionedRateLimiter<String> eachAddress = PartitionedRateLimiter.<String>builder(
                        address -> Limit.of(20, SECOND))
                .observer(several.ofRefusals())
                .build();
        RateLimiter everybody = RateLimiter.builder(Limit.of(50, SECOND))
                .name("everybody")
                .observer(several)
                .build();
        several.read(everybody::availablePermits, null);
        return RequestLimits.builder()
                .protect(room)
                .limit(ClientAddress.ofPeer(), eachAddress)
                .limit(everybody)
                .headers(HeaderStyle.DRAFT_11)
                .build();
    }

    private static RequestLimits show(RateLimiter limiter, Lights lights) {
        lights.read(limiter::availablePermits, null);
        return RequestLimits.builder()
                .limit(limiter)
                .headers(HeaderStyle.DRAFT_11)
                .build();
    }

    /** Emits the state of all limits, now and four times a second. */
    private Flux<String> live() {
        return Flux.interval(Duration.ZERO, LOOK)
                .onBackpressureDrop()
                .map(tick -> List.of(refusing, waiting, perUser, several).stream()
                        .map(Lights::json)
                        .collect(Collectors.joining(",", "[", "]")));
    }
}
