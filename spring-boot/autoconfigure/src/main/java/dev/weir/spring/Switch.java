package dev.weir.spring;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * A condition on a boolean property, in any spelling that Spring Boot converts to a boolean. Spring Boot's own property conditions
 * know only {@code true} and {@code false}, and so would take {@code off} for on.
 */
abstract class Switch extends SpringBootCondition {

    private final String property;
    private final boolean unlessSet;

    private Switch(String property, boolean unlessSet) {
        this.property = property;
        this.unlessSet = unlessSet;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean isOn = Binder.get(context.getEnvironment())
                .bind(property, Boolean.class)
                .orElse(unlessSet);
        return new ConditionOutcome(isOn, property + " is " + (isOn ? "on" : "off"));
    }

    /** Whether limits are set up at all. */
    static final class Limits extends Switch {

        Limits() {
            super("weir.enabled", true);
        }
    }

    /** Whether limits are applied to incoming requests. */
    static final class Http extends Switch {

        Http() {
            super("weir.http.enabled", true);
        }
    }

    /** Whether limits are kept in Redis. */
    static final class Redis extends Switch {

        Redis() {
            super("weir.redis.enabled", false);
        }
    }
}
