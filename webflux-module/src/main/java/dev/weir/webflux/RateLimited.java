package dev.weir.webflux;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Applies named limits to the requests of a handler method, or of all handler methods of a class. The annotation of a method
 * overrides that of its class. Implemented by {@link RateLimitedHandlerAdapter}.
 *
 * <p>Of a bean behind a JDK proxy, Spring calls the methods of its interfaces, and only annotations of these are seen: put it there.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RateLimited {

    /**
     * The name of the limits.
     *
     * @return a name that has been given to the {@link RateLimitedHandlerAdapter}
     */
    String value();
}
