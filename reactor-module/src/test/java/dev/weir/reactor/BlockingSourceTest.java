package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Which choice of a thread has an effect on a source that blocks, if its call has to wait. */
class BlockingSourceTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
    private final Scheduler mayBlock = Schedulers.newBoundedElastic(1, 10, "may-block");
    private final Mono<Boolean> isWhereNothingMayBlock = Mono.fromCallable(Schedulers::isInNonBlockingThread);

    @AfterEach
    void disposeThread() {
        mayBlock.dispose();
    }

    @Test
    @DisplayName("subscribeOn behind the limit has none: the source is subscribed on the worker of the stream")
    void subscribeOnBehindTheLimit() {
        assertThat(afterAWait(isWhereNothingMayBlock
                        .transform(RateLimit.with(limiter))
                        .subscribeOn(mayBlock)))
                .isTrue();
    }

    @Test
    @DisplayName("subscribeOn before the limit has one")
    void subscribeOnBeforeTheLimit() {
        assertThat(afterAWait(isWhereNothingMayBlock.subscribeOn(mayBlock).transform(RateLimit.with(limiter))))
                .isFalse();
    }

    @Test
    @DisplayName("emitOn has one")
    void emitOn() {
        StreamOptions onItsThread = StreamOptions.defaults().emitOn(mayBlock::schedule);
        assertThat(afterAWait(isWhereNothingMayBlock.transform(RateLimit.with(limiter, onItsThread))))
                .isFalse();
    }

    private boolean afterAWait(Mono<Boolean> limited) {
        CompletableFuture<Boolean> answer = limited.toFuture();
        hasSubscribed();
        assertThat(limiter.statistics().queuedPermits()).isOne();
        time.advanceBy(SECOND);
        return answer.orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** Returns once that scheduler, whose one thread runs tasks in their order, has run what it was given. */
    private void hasSubscribed() {
        Mono.fromRunnable(() -> {}).subscribeOn(mayBlock).block(Duration.ofSeconds(10));
    }
}
