package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A future that somebody else completes leaves the queue, however that is done, with a maximum wait or without. */
class LeaseFutureTest {

    private static final Executor HERE = Runnable::run;
    private static final Duration LONG = Duration.ofSeconds(9);

    private final SteppedTime time = new SteppedTime(0);
    private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
            .queueLimit(1)
            .timeSource(time)
            .build();
    private final Lease lease = limiter.tryAcquire();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cancel",
                "complete",
                "completeExceptionally",
                "completeAsync",
                "completeAsync that fails",
                "obtrudeValue",
                "obtrudeException"
            })
    @DisplayName("a future that waits no longer takes no room")
    void leaves(String how) {
        Consumer<CompletableFuture<Lease>> byOther = switch (how) {
            case "cancel" -> future -> future.cancel(false);
            case "complete" -> future -> future.complete(lease);
            case "completeExceptionally" -> future -> future.completeExceptionally(new IllegalStateException());
            case "completeAsync" -> future -> future.completeAsync(() -> lease, HERE);
            case "completeAsync that fails" ->
                future -> future.completeAsync(
                        () -> {
                            throw new IllegalStateException();
                        },
                        HERE);
            case "obtrudeValue" -> future -> future.obtrudeValue(lease);
            default -> future -> future.obtrudeException(new IllegalStateException());
        };
        checkLeaves(limiter.acquire(), byOther);
        checkLeaves(limiter.acquireWithin(1, LONG), byOther);
        assertThat(limiter.acquire()).isNotDone();
        assertThat(time.pendingTasks()).isEqualTo(1);
    }

    private void checkLeaves(CompletableFuture<Lease> future, Consumer<CompletableFuture<Lease>> byOther) {
        assertThat(future).isNotDone();
        byOther.accept(future);
        assertThat(future).isDone();
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a lease that comes while another value is obtruded is given back")
    void obtrudedMeanwhile(boolean isValue) {
        AtomicInteger givenBack = new AtomicInteger();
        CompletableFuture<Lease> future = LeaseFuture.request(tellingWhenCancelled(counting(givenBack)), 1, null);
        if (isValue) {
            future.obtrudeValue(lease);
            assertThat(future).isCompletedWithValue(lease);
        } else {
            future.obtrudeException(new IllegalStateException());
            assertThat(future).isCompletedExceptionally();
        }
        assertThat(givenBack).hasValue(1);
    }

    @Test
    @DisplayName("a lease that comes while a future with a maximum wait is cancelled is given back")
    void cancelledMeanwhile() {
        AtomicInteger givenBack = new AtomicInteger();
        CompletableFuture<Lease> future = LeaseFuture.request(tellingWhenCancelled(counting(givenBack)), 1, LONG);
        assertThat(future.cancel(false)).isTrue();
        assertThat(future).isCancelled();
        assertThat(givenBack).hasValue(1);
    }

    @Test
    @DisplayName("a future is cancelled as any other of the JDK, but keeps no stack trace")
    void cancelled() {
        CompletableFuture<Lease> future = limiter.acquire();
        CompletableFuture<Lease> stage = future.thenApply(lease -> lease);
        assertThat(future.cancel(true)).isTrue();
        assertThat(future.cancel(true)).as("again").isTrue();
        assertThat(future).isCancelled().isCompletedExceptionally();
        assertThat(future.handle((lease, thrown) -> thrown))
                .isCompletedWithValueMatching(
                        thrown -> thrown instanceof CancellationException && thrown.getStackTrace().length == 0);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(future::join);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(future::get);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(stage::join)
                .withCauseInstanceOf(CancellationException.class);

        CompletableFuture<Lease> answered = RateLimiter.of(Limit.unlimited()).acquire();
        assertThat(answered.cancel(true)).isFalse();
        assertThat(answered).isNotCancelled();
    }

    private static Lease counting(AtomicInteger givenBack) {
        return (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> method.getName().equals("giveBack") ? giveBack(givenBack) : null);
    }

    private static @Nullable Object giveBack(AtomicInteger givenBack) {
        givenBack.incrementAndGet();
        return null;
    }

    /** A limiter whose requests are answered when they are cancelled: a moment too late to be cancelled. */
    private static RateLimiter tellingWhenCancelled(Lease coming) {
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(),
                new Class<?>[] {RateLimiter.class},
                (proxy, method, arguments) -> new PermitRequest() {
                    @Override
                    public boolean cancel() {
                        ((PermitListener) arguments[arguments.length - 1]).onLease(coming);
                        return false;
                    }

                    @Override
                    public boolean isSettled() {
                        return false;
                    }
                });
    }

    @Test
    @DisplayName("a future completed elsewhere has the result of its supplier")
    void completedElsewhere() {
        assertThat(limiter.acquire().completeAsync(() -> lease, HERE)).isCompletedWithValue(lease);
        CompletableFuture<Lease> failed = limiter.acquire()
                .completeAsync(
                        () -> {
                            throw new IllegalStateException("so");
                        },
                        HERE);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(failed::join)
                .withCauseInstanceOf(IllegalStateException.class);
    }
}
