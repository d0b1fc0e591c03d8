package dev.weir.spring;

import io.lettuce.core.AbstractRedisClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the Lettuce client to connect with: a bean of the application, or else the one inside Spring Data's connection factory,
 * which Spring Boot creates from {@code spring.data.redis.*}.
 */
final class RedisClients {

    private static final String SPRING_DATA =
            "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

    /**
     * A client that was found.
     *
     * @param client the client
     * @param isOfSpringData whether it belongs to Spring Data, and ends with it, rather than being a bean
     */
    record Found(AbstractRedisClient client, boolean isOfSpringData) {}

    private final ListableBeanFactory beans;
    private final boolean hasSpringData;

    RedisClients(ListableBeanFactory beans) {
        this.beans = beans;
        this.hasSpringData = ClassUtils.isPresent(SPRING_DATA, RedisClients.class.getClassLoader());
    }

    Found find(@Nullable String name) {
        return name == null ? theOnlyOne() : named(name);
    }

    private Found named(String name) {
        Object bean = beans.containsBean(name) ? beans.getBean(name) : "";
        if (bean instanceof AbstractRedisClient client) {
            return new Found(client, false);
        }
        return inSpringData(bean)
                .orElseThrow(() -> new InvalidLimitException(
                        "weir.redis.client",
                        "must name a client of Lettuce, of " + candidates() + ", but is '" + name + "'"));
    }

    private Found theOnlyOne() {
        AbstractRedisClient own =
                beans.getBeanProvider(AbstractRedisClient.class).getIfUnique();
        if (own != null) {
            return new Found(own, false);
        }
        boolean hasOwn = beans.getBeanNamesForType(AbstractRedisClient.class).length > 0;
        return (hasOwn || !hasSpringData ? Optional.<Found>empty() : SpringData.theOnlyOne(beans))
                .orElseThrow(this::noneOrSeveral);
    }

    private InvalidLimitException noneOrSeveral() {
        List<String> found = candidates();
        return found.isEmpty()
                ? new InvalidLimitException(
                        "weir.redis.enabled",
                        "needs a RedisClient or RedisClusterClient of Lettuce, or a LettuceConnectionFactory of Spring Data,"
                                + " but there is no such bean",
                        "Add spring-boot-starter-data-redis, or define a bean of type RedisClient or RedisClusterClient; or"
                                + " switch 'weir.redis.enabled' off.")
                : new InvalidLimitException("weir.redis.client", "must say which of " + found + " to connect by");
    }

    private List<String> candidates() {
        List<String> names = new ArrayList<>(List.of(beans.getBeanNamesForType(AbstractRedisClient.class)));
        if (hasSpringData) {
            names.addAll(SpringData.names(beans));
        }
        return names;
    }

    private Optional<Found> inSpringData(Object bean) {
        return hasSpringData ? SpringData.clientOf(bean) : Optional.empty();
    }

    /** Code that can only be loaded if Spring Data is on the class path. */
    private static final class SpringData {

        private SpringData() {}

        static Set<String> names(ListableBeanFactory beans) {
            return factories(beans).keySet();
        }

        static Optional<Found> theOnlyOne(ListableBeanFactory beans) {
            return clientOf(beans.getBeanProvider(RedisConnectionFactory.class).getIfUnique())
                    .or(() -> theOnlyOneOfLettuce(beans));
        }

        private static Optional<Found> theOnlyOneOfLettuce(ListableBeanFactory beans) {
            Map<String, LettuceConnectionFactory> all = factories(beans);
            return all.size() == 1 ? clientOf(all.values().iterator().next()) : Optional.empty();
        }

        /** Returns the factories by name. Makes them: before, Spring knows only their declared type, which may be the interface. */
        private static Map<String, LettuceConnectionFactory> factories(ListableBeanFactory beans) {
            Map<String, LettuceConnectionFactory> ofLettuce = new LinkedHashMap<>();
            beans.getBeansOfType(RedisConnectionFactory.class, false, true).forEach((name, factory) -> {
                if (factory instanceof LettuceConnectionFactory lettuce) {
                    ofLettuce.put(name, lettuce);
                }
            });
            return ofLettuce;
        }

        /** Returns the client of a factory. Starts the factory if necessary, as it has no client before. */
        static Optional<Found> clientOf(@Nullable Object bean) {
            if (!(bean instanceof LettuceConnectionFactory factory)) {
                return Optional.empty();
            }
            if (!factory.isRunning()) {
                factory.start();
            }
            return Optional.of(new Found(factory.getRequiredNativeClient(), true));
        }
    }
}
