package dev.weir.benchmarks.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The script of Spring Cloud Gateway, as its artifact brings it. */
final class GatewayScript {

    private static final String NAME = "/META-INF/scripts/request_rate_limiter.lua";

    private GatewayScript() {}

    static String text() {
        try (InputStream script = GatewayScript.class.getResourceAsStream(NAME)) {
            if (script == null) {
                throw new IllegalStateException("no " + NAME);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
