package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.ScanParams;
import redis.clients.jedis.ScanResult;

/** After every test here, whatever it was about: on no server that runs is there a key that would stay for ever. */
public final class EveryKeyExpires implements AfterTestExecutionCallback {

    private static final int FOR_EVER = -1;
    private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

    static void watch(int port) {
        PORTS.add(port);
    }

    /** Tells whether it was watched. */
    static boolean forget(int port) {
        return PORTS.remove(port);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        PORTS.forEach(EveryKeyExpires::check);
    }

    static void check(int port) {
        try (ScriptHost host = new ScriptHost("127.0.0.1", port)) {
            check(host.jedis());
        }
    }

    private static void check(Jedis jedis) {
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> found = jedis.scan(cursor);
            for (String key : found.getResult()) {
                assertThat(jedis.pttl(key)).as("time to live of %s", key).isNotEqualTo(FOR_EVER);
            }
            cursor = found.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }
}
