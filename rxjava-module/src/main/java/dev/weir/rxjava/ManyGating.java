package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;

/** How a {@link RateLimit} gates streams that may have many elements. */
interface ManyGating<T> {

    Flowable<T> gate(Flowable<T> source);

    Observable<T> gate(Observable<T> source);
}
