package dev.weir.webflux;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Holds the requests of a handler method, or of all those of a class, against limits that have a name. What a method says counts
 * before what its class says. {@link RateLimitedHandlerAdapter} makes it so.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RateLimited {

    /**
     * The name of the limits.
     *
     * @return a name that the {@link RateLimitedHandlerAdapter} knows
     */
    String value();
}
