package dev.weir.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.List;

/** The connections of Lettuce as a {@link Pipeline} sees them. */
final class Wires {

    /** So many are answered before it would be worth while to wait for company. */
    static final int FEW = 4;

    private static final int ALL = Integer.MAX_VALUE;

    private Wires() {}

    static Pipeline.Wire over(StatefulRedisConnection<String, String> connection) {
        return new ToOne(connection);
    }

    /** Of a cluster, where commands have many ways to go: each goes at once, and by itself. */
    static Pipeline.Wire over(StatefulRedisClusterConnection<String, String> connection) {
        return new ToMany(connection);
    }

    private record ToOne(StatefulRedisConnection<String, String> connection) implements Pipeline.Wire {

        @Override
        public int few() {
            return connection.isOpen() ? FEW : ALL;
        }

        /** Where the client has a bound of its own, it takes a list whole or not at all. */
        @Override
        public int most() {
            return Math.max(1, connection.getOptions().getRequestQueueSize() / 2);
        }

        @Override
        public void write(List<AsyncCommand<String, String, ?>> together) {
            if (together.size() == 1) {
                connection.dispatch(together.get(0)); // one task of the connection's thread, where a list is two
            } else {
                connection.dispatch(together);
            }
        }
    }

    private record ToMany(StatefulRedisClusterConnection<String, String> connection) implements Pipeline.Wire {

        @Override
        public int few() {
            return ALL;
        }

        @Override
        public int most() {
            return 1;
        }

        @Override
        public void write(List<AsyncCommand<String, String, ?>> together) {
            together.forEach(connection::dispatch);
        }
    }
}
