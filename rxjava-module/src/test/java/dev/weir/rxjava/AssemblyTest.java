package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The hooks of RxJava see the operators as they see its own. */
class AssemblyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final List<Object> assembled = new ArrayList<>();

    static Stream<RateLimit<Object>> limits() {
        Minute minute = new Minute();
        return Stream.of(
                RateLimit.of(5, SECOND),
                RateLimit.with(minute.limiter, minute.options),
                RateLimit.perSubscription(minute.limiter, minute.options));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("each application goes through the assembly hook of its type once, and what that makes of it is used")
    void assembledOnce(RateLimit<Object> limit) {
        Flowable<Object> flowable = Flowable.just("source");
        Observable<Object> observable = Observable.just("source");
        Single<Object> single = Single.just("source");
        Maybe<Object> maybe = Maybe.just("source");
        Completable completable = Completable.complete();
        replaceAll();

        flowable.compose(limit).test().assertResult("hook");
        observable.compose(limit).test().assertResult("hook");
        single.compose(limit).test().assertResult("hook");
        maybe.compose(limit).test().assertResult("hook");
        completable.compose(limit).test().assertFailure(IllegalStateException.class);
        assertThat(assembled)
                .hasSize(5)
                .allSatisfy(operator ->
                        assertThat(operator.getClass().getPackageName()).isEqualTo("dev.weir.rxjava"));
    }

    private void replaceAll() {
        Flowable<Object> flowable = Flowable.just("hook");
        Observable<Object> observable = Observable.just("hook");
        Single<Object> single = Single.just("hook");
        Maybe<Object> maybe = Maybe.just("hook");
        Completable completable = Completable.error(new IllegalStateException("hook"));
        RxJavaPlugins.setOnFlowableAssembly(operator -> instead(operator, flowable));
        RxJavaPlugins.setOnObservableAssembly(operator -> instead(operator, observable));
        RxJavaPlugins.setOnSingleAssembly(operator -> instead(operator, single));
        RxJavaPlugins.setOnMaybeAssembly(operator -> instead(operator, maybe));
        RxJavaPlugins.setOnCompletableAssembly(operator -> instead(operator, completable));
    }

    private <S> S instead(Object operator, S replacement) {
        assembled.add(operator);
        return replacement;
    }

    @Test
    @DisplayName("sources are subscribed through the hooks, also after a wait")
    void subscribedThroughHooks() {
        Minute minute = new Minute();
        List<Object> subscribers = new ArrayList<>();
        RateLimit<Integer> call = RateLimit.perSubscription(minute.exhausted().limiter, minute.options);
        Flowable<Integer> flowable = Flowable.just(1).compose(call);
        Single<Integer> single = Single.just(2).compose(call);
        RxJavaPlugins.setOnFlowableSubscribe((source, subscriber) -> {
            subscribers.add(subscriber);
            return subscriber;
        });
        RxJavaPlugins.setOnSingleSubscribe((source, observer) -> {
            subscribers.add(observer);
            return observer;
        });
        var first = flowable.test();
        var second = single.test();
        assertThat(subscribers).hasSize(2);
        minute.pass();
        minute.pass();
        first.assertResult(1);
        second.assertResult(2);
        assertThat(subscribers).as("the sources too").hasSize(4);
    }
}
