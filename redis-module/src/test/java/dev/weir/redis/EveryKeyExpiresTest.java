package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is looked for after every test is seen if it is there. */
class EveryKeyExpiresTest {

    @Test
    @DisplayName("a key among many that would stay for ever is found")
    void found() {
        ServerProcess redis = ServerProcess.start();
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            for (int i = 0; i < 1_000; i++) {
                host.jedis().psetex("key " + i, 60_000, "expires");
            }
            assertThatCode(() -> EveryKeyExpires.check(redis.port())).doesNotThrowAnyException();
            host.jedis().set("stays", "for ever");
            assertThatThrownBy(() -> EveryKeyExpires.check(redis.port())).hasMessageContaining("stays");
            host.flush();
        } finally {
            redis.close();
        }
    }
}
