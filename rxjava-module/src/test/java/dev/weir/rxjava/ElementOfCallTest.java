package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The element of a single or maybe that has a cost or a key: delivered or dropped, exactly once. */
class ElementOfCallTest {

    private static final int ROUNDS = 1000;

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final List<Object> dropped = new CopyOnWriteArrayList<>();
    private final StreamOptions options =
            StreamOptions.defaults().emitOn(Runnable::run).onDropped(dropped::add);
    private final RateLimiter one = RateLimiter.of(Limit.concurrency(1));
    private final RateLimit<Integer> weighted = RateLimit.weighted(one, element -> 1, options);

    enum Kind {
        SINGLE,
        MAYBE
    }

    /** A single or maybe that says what a test has it say, right or wrong, and its observer. */
    private static final class Call {

        private final TestObserver<Integer> observer;
        private Consumer<Integer> success = element -> {};
        private Consumer<Throwable> error = failure -> {};
        private int disposed;

        private Call(Kind kind, RateLimit<Integer> limit) {
            this(kind, limit, new TestObserver<>());
        }

        private Call(Kind kind, RateLimit<Integer> limit, TestObserver<Integer> observer) {
            this.observer = observer;
            if (kind == Kind.SINGLE) {
                Single.<Integer>unsafeCreate(downstream -> {
                            success = downstream::onSuccess;
                            error = downstream::onError;
                            downstream.onSubscribe(Disposable.fromRunnable(() -> disposed++));
                        })
                        .compose(limit)
                        .subscribe(observer);
            } else {
                Maybe.<Integer>unsafeCreate(downstream -> {
                            success = downstream::onSuccess;
                            error = downstream::onError;
                            downstream.onSubscribe(Disposable.fromRunnable(() -> disposed++));
                        })
                        .compose(limit)
                        .subscribe(observer);
            }
        }
    }

    /** Runs that within onSuccess. */
    private static final class Calling extends TestObserver<Integer> {

        private final Runnable onSuccess;

        private Calling(Runnable onSuccess) {
            this.onSuccess = onSuccess;
        }

        @Override
        public void onSuccess(Integer element) {
            super.onSuccess(element);
            onSuccess.run();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a limit of concurrency: the lease is out while downstream receives the element, and back then")
    void leaseIsOutWithinOnSuccess(Kind kind) {
        List<Long> available = new ArrayList<>();
        Runnable look = () -> available.add(one.availablePermits());
        new Call(kind, weighted, new Calling(look)).success.accept(1);
        assertThat(one.availablePermits()).isEqualTo(1);

        Lease other = one.tryAcquire();
        Call waiting = new Call(kind, weighted, new Calling(look));
        waiting.success.accept(2);
        waiting.observer.assertEmpty();
        other.close();
        waiting.observer.assertResult(2);
        assertThat(one.availablePermits()).isEqualTo(1);
        assertThat(available).containsExactly(0L, 0L);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("disposed by whoever is granted the lease that it gives back: the element has been delivered")
    void disposedAsTheLeaseComesBack(Kind kind) {
        Lease other = one.tryAcquire();
        Call call = new Call(kind, weighted);
        call.success.accept(1);
        one.acquire(1, lease -> {
            call.observer.dispose();
            lease.close();
        });
        other.close();
        call.observer.assertResult(1);
        assertThat(dropped).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("disposed while it waits for its permit: the element is dropped, and the request withdrawn")
    void disposedWhileItWaits(Kind kind) {
        Lease other = one.tryAcquire();
        Call call = new Call(kind, weighted);
        call.success.accept(1);
        call.observer.dispose();
        assertThat(dropped).containsExactly(1);
        other.close();
        assertThat(one.availablePermits()).isEqualTo(1);
        call.observer.assertEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "disposed within onSuccess: delivered, and not dropped; the source is not disposed, and the lease is back")
    void disposedWithinOnSuccess(Kind kind) {
        List<Call> own = new ArrayList<>();
        own.add(new Call(kind, weighted, new Calling(() -> own.get(0).observer.dispose())));
        own.get(0).success.accept(1);
        own.get(0).observer.assertResult(1);
        assertThat(own.get(0).disposed).as("the source, which has ended").isZero();
        assertThat(dropped).isEmpty();
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an element that comes too late after dispose is dropped for all to hear, whatever it would have paid")
    void lateElement(Kind kind) {
        RateLimit<Integer> perKey =
                RateLimit.perKey(PartitionedRateLimiter.of(Limit.concurrency(1)), element -> "key", options);
        for (RateLimit<Integer> limit : List.of(weighted, perKey)) {
            Call call = new Call(kind, limit);
            call.observer.dispose();
            call.success.accept(1);
            call.observer.assertEmpty();
        }
        assertThat(dropped).containsExactly(1, 1);
        assertThat(one.statistics().acquired()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "a source that goes on after its element, from within or later: only its errors are heard, by the plugins")
    void sourceThatGoesOn(Kind kind) {
        List<Call> own = new ArrayList<>();
        IOException within = new IOException("within onSuccess");
        IOException later = new IOException("later");
        own.add(new Call(kind, weighted, new Calling(() -> {
            own.get(0).success.accept(2);
            own.get(0).error.accept(within);
        })));
        Call call = own.get(0);
        call.success.accept(1);
        call.success.accept(3);
        call.error.accept(later);
        call.observer.assertResult(1);
        assertThat(plugins.takeErrors()).extracting(Throwable::getCause).containsExactly(within, later);
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "an error of the source goes downstream, after dispose to the plugins; dispose reaches the source once")
    void errorOfTheSource(Kind kind) {
        Call call = new Call(kind, weighted);
        call.error.accept(new IOException("in time"));
        call.observer.assertFailure(IOException.class);
        Call disposed = new Call(kind, weighted);
        IOException late = new IOException("late");
        disposed.observer.dispose();
        disposed.observer.dispose();
        assertThat(disposed.disposed).isEqualTo(1);
        disposed.error.accept(late);
        disposed.observer.assertEmpty();
        assertThat(plugins.takeErrors()).extracting(Throwable::getCause).containsExactly(late);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a plugin that has no scheduler to give: the observer hears so, and the source is not subscribed")
    void noScheduler(Kind kind) {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> {
            throw new IllegalStateException("on purpose");
        });
        Call call = new Call(kind, RateLimit.weighted(one, element -> 1));
        call.observer.assertFailure(IllegalStateException.class);
        call.success.accept(1);
        assertThat(one.statistics().acquired()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("isDisposed says so within onSuccess, and after dispose")
    void isDisposed(Kind kind) {
        List<Disposable> given = new ArrayList<>();
        List<Boolean> disposed = new ArrayList<>();
        new Call(kind, weighted, new TestObserver<>() {
                    @Override
                    public void onSubscribe(Disposable disposable) {
                        given.add(disposable);
                    }

                    @Override
                    public void onSuccess(Integer element) {
                        disposed.add(given.get(0).isDisposed());
                    }
                })
                .success.accept(1);
        assertThat(disposed).containsExactly(true);
        assertThat(given.get(0).isDisposed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("the operator goes through the assembly hook of its type once, and of no other type")
    void assembledOnce(Kind kind) {
        List<Object> assembled = new ArrayList<>();
        Single<Integer> single = Single.just(1);
        Maybe<Integer> maybe = Maybe.just(1);
        RxJavaPlugins.setOnFlowableAssembly(operator -> noted(operator, assembled));
        RxJavaPlugins.setOnSingleAssembly(operator -> noted(operator, assembled));
        RxJavaPlugins.setOnMaybeAssembly(operator -> noted(operator, assembled));
        Object limited = kind == Kind.SINGLE ? single.compose(weighted) : maybe.compose(weighted);
        assertThat(assembled).containsExactly(limited);
    }

    private static <S> S noted(S operator, List<Object> assembled) {
        assembled.add(operator);
        return operator;
    }

    static Stream<Arguments> races() {
        return Stream.of(Kind.values()).flatMap(kind -> Stream.of(false, true).map(waits -> Arguments.of(kind, waits)));
    }

    @ParameterizedTest(name = "{0}, waits: {1}")
    @MethodSource("races")
    @DisplayName("dispose meets the element, or its grant: delivered or dropped, once, and the lease is back")
    void disposeMeetsElement(Kind kind, boolean waits) {
        try (Race race = new Race()) {
            for (int round = 0; round < ROUNDS; round++) {
                dropped.clear();
                Call call = new Call(kind, weighted);
                Runnable comes = () -> call.success.accept(1);
                if (waits) {
                    Lease other = one.tryAcquire();
                    comes.run();
                    comes = other::close;
                }
                race.run(comes, call.observer::dispose);
                List<Object> heard = new ArrayList<>(dropped);
                heard.addAll(call.observer.values());
                assertThat(heard).as("delivered or dropped, round %s", round).containsExactly(1);
                assertThat(one.availablePermits()).isEqualTo(1);
            }
        }
    }
}
