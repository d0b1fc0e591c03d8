package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Where the word about a peer comes from, by which classes there are and how they can be found. */
class ConnectionTest {

    private static final InetSocketAddress TOLD = new InetSocketAddress("6.6.6.6", 1);
    private static final String MODULE = "dev.weir.webflux.";
    private static final String NETTY = "reactor.netty.";

    /** What is loaded and made by the class loaders below. */
    public static final class Asked implements Function<ServerHttpRequest, String> {

        @Override
        public String apply(ServerHttpRequest request) {
            return Connection.of(request).peer().map(peer -> peer.prefixed(32)).orElse("nobody");
        }
    }

    @Test
    @DisplayName(
            "on Reactor Netty the connection is asked, also where no class is found by its name, as in a native image")
    void withoutNames() throws Exception {
        Function<ServerHttpRequest, String> asked = askedThrough(new Classes(ConnectionTest::isByName));
        assertThat(onNetty(asked)).isEqualTo("127.0.0.1");
    }

    @Test
    @DisplayName("a peer is read from the request without Reactor Netty on the class path")
    void withoutNetty() throws Exception {
        Function<ServerHttpRequest, String> asked = askedThrough(new Classes(() -> true));
        MockServerHttpRequest request =
                MockServerHttpRequest.get("/").remoteAddress(TOLD).build();
        assertThat(asked.apply(request)).isEqualTo("6.6.6.6");
    }

    /** Asks about a request that a server has read, and a filter has changed. */
    private static String onNetty(Function<ServerHttpRequest, String> asked) throws Exception {
        CompletableFuture<String> peer = new CompletableFuture<>();
        DisposableServer server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter((request, response) -> {
                    peer.complete(
                            asked.apply(request.mutate().remoteAddress(TOLD).build()));
                    return response.setComplete();
                }))
                .bindNow();
        try {
            HttpClient.newConnection()
                    .host("127.0.0.1")
                    .port(server.port())
                    .get()
                    .uri("/")
                    .response()
                    .block();
            return peer.get(10, TimeUnit.SECONDS);
        } finally {
            server.disposeNow();
        }
    }

    private static boolean isByName() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals("java.lang.Class")));
    }

    @SuppressWarnings(
            "unchecked") // what it implements is of Java's and Spring's classes, which are the same in both loaders
    private static Function<ServerHttpRequest, String> askedThrough(ClassLoader classes)
            throws ReflectiveOperationException {
        return (Function<ServerHttpRequest, String>) classes.loadClass(Asked.class.getName())
                .getDeclaredConstructor()
                .newInstance();
    }

    /** Has the classes of this module once more, and under some circumstances none of Reactor Netty. */
    private static final class Classes extends ClassLoader {

        private final BooleanSupplier hidesNetty;

        Classes(BooleanSupplier hidesNetty) {
            super(ConnectionTest.class.getClassLoader());
            this.hidesNetty = hidesNetty;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(NETTY) && hidesNetty.getAsBoolean()) {
                throw new ClassNotFoundException(name);
            }
            return name.startsWith(MODULE) ? once(name) : super.loadClass(name, resolve);
        }

        private Class<?> once(String name) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream code = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = Objects.requireNonNull(code, name).readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}
