package dev.weir.spring;

import org.springframework.beans.factory.ObjectProvider;

/** Watches nothing, where the application has no watch. */
final class Unwatched implements LimiterWatch {

    /** Returns the watch of the application, otherwise one that does nothing. */
    static LimiterWatch unless(ObjectProvider<LimiterWatch> watch) {
        return watch.getIfAvailable(Unwatched::new);
    }
}
