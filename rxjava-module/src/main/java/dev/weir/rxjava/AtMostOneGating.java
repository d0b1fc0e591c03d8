package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;

/** How a {@link RateLimit} gates streams that have one element at most. */
interface AtMostOneGating<T> {

    Single<T> gate(Single<T> source);

    Maybe<T> gate(Maybe<T> source);

    Completable gate(Completable source);
}
