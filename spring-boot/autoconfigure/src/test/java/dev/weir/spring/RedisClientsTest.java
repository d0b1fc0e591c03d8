package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Which client is taken; none of them connects. */
class RedisClientsTest {

    private final GenericApplicationContext context = new GenericApplicationContext();

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    @DisplayName("the only client there is, single or clustered")
    void own() {
        single("one");
        assertThat(find(null)).isSameAs(context.getBean("one"));
    }

    @Test
    @DisplayName("a client of a cluster")
    void clustered() {
        context.registerBean(
                "cluster",
                RedisClusterClient.class,
                () -> RedisClusterClient.create("redis://127.0.0.1:1"),
                definition -> definition.setDestroyMethodName("shutdown"));
        assertThat(find(null)).isInstanceOf(RedisClusterClient.class);
    }

    @Test
    @DisplayName("of several the primary one, or the one that is named")
    void several() {
        single("one");
        single("two");
        assertThatThrownBy(() -> find(null))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.redis.client'")
                .hasMessageContaining("[one, two]");
        assertThat(find("two")).isSameAs(context.getBean("two"));
        single("three", true);
        assertThat(find(null)).isSameAs(context.getBean("three"));
    }

    @Test
    @DisplayName(
            "the client of Spring Data, also of a factory that was to start later; one of one's own goes before it")
    void springData() {
        factory("early", true);
        assertThat(find(null))
                .isSameAs(
                        context.getBean("early", LettuceConnectionFactory.class).getNativeClient());
        factory("late", false);
        assertThat(find("late")).isInstanceOf(RedisClient.class).isNotSameAs(find("early"));
        assertThat(found("early").isOfSpringData()).isTrue();
        assertThatThrownBy(() -> find(null)).hasMessageContaining("[early, late]");
        single("one");
        assertThat(find(null)).isSameAs(context.getBean("one"));
        assertThat(found(null).isOfSpringData()).isFalse();
    }

    @Test
    @DisplayName("none, or a name that is nobody's")
    void none() {
        assertThatThrownBy(() -> find(null))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.redis.enabled'");
        context.registerBean("other", String.class, () -> "no client");
        assertThatThrownBy(() -> find("other"))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.redis.client'")
                .hasMessageContaining("'other'");
    }

    private AbstractRedisClient find(String name) {
        if (!context.isActive()) {
            context.refresh();
        }
        return found(name).client();
    }

    private RedisClients.Found found(String name) {
        return new RedisClients(context.getBeanFactory()).find(name);
    }

    private void single(String name) {
        single(name, false);
    }

    private void single(String name, boolean isPrimary) {
        context.registerBean(
                name, RedisClient.class, () -> RedisClient.create(RedisURI.create("127.0.0.1", 1)), definition -> {
                    definition.setDestroyMethodName("shutdown");
                    definition.setPrimary(isPrimary);
                });
    }

    private void factory(String name, boolean early) {
        context.registerBean(name, LettuceConnectionFactory.class, () -> {
            LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", 1);
            factory.setEarlyStartup(early);
            factory.setAutoStartup(early);
            return factory;
        });
    }
}
