package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;

/** How a {@link RateLimit} gates each kind of stream. */
interface Gating<T> {

    Flowable<T> gate(Flowable<T> source);

    Observable<T> gate(Observable<T> source);

    Single<T> gate(Single<T> source);

    Maybe<T> gate(Maybe<T> source);

    Completable gate(Completable source);
}
