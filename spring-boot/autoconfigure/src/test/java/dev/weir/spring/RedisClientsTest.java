package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
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
    @DisplayName("a factory declared by its interface, also before it is made: the only one, or the one that is named")
    void declaredByInterface() {
        lazyFactory("one");
        assertThat(find(null)).isSameAs(clientOf("one"));
        lazyFactory("two");
        assertThat(find("two")).isSameAs(clientOf("two"));
        lazyFactory("three");
        assertThatThrownBy(() -> find(null))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("[one, two, three]");
        assertThatThrownBy(() -> find("nobody")).hasMessageContaining("[one, two, three]");
    }

    @Test
    @DisplayName("a factory declared by its interface that others have asked for by its class, in vain")
    void askedForBefore() {
        lazyFactory("one");
        context.refresh();
        assertThat(context.getBeanNamesForType(LettuceConnectionFactory.class)).isEmpty();
        assertThat(find(null)).isSameAs(clientOf("one"));
    }

    @Test
    @DisplayName(
            "of several factories declared by their interface the primary one; one of another client does not count")
    void ofSeveralFactories() {
        context.registerBean("other", RedisConnectionFactory.class, RedisClientsTest::ofAnotherClient);
        lazyFactory("one");
        assertThat(find(null)).isSameAs(clientOf("one"));
        assertThatThrownBy(() -> find("other")).hasMessageContaining("[one], but is 'other'");
        lazyFactory("two", true);
        assertThat(find(null)).isSameAs(clientOf("two"));
    }

    @Test
    @DisplayName("no other factory is made for the primary one")
    void primaryFactory() {
        lazyFactory("one", true);
        lazyFactory("two");
        assertThat(find(null)).isSameAs(clientOf("one"));
        assertThat(context.getBeanFactory().containsSingleton("two")).isFalse();
    }

    @Test
    @DisplayName("no factory is made for a client of one's own, nor for another one that is named")
    void costsNoFactory() {
        lazyFactory("one");
        lazyFactory("two");
        single("own");
        assertThat(find(null)).isSameAs(context.getBean("own"));
        assertThat(find("own")).isSameAs(context.getBean("own"));
        assertThat(context.getBeanFactory().containsSingleton("one")).isFalse();
        assertThat(find("one")).isSameAs(clientOf("one"));
        assertThat(context.getBeanFactory().containsSingleton("two")).isFalse();
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

    private void lazyFactory(String name) {
        lazyFactory(name, false);
    }

    private void lazyFactory(String name, boolean isPrimary) {
        context.registerBean(
                name, RedisConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", 1), definition -> {
                    definition.setLazyInit(true);
                    definition.setPrimary(isPrimary);
                });
    }

    private AbstractRedisClient clientOf(String factory) {
        return context.getBean(factory, LettuceConnectionFactory.class).getNativeClient();
    }

    private static RedisConnectionFactory ofAnotherClient() {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                RedisConnectionFactory.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> method.getName().equals("toString") ? "other" : null);
    }
}
