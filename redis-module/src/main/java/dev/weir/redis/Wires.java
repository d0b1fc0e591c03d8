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

    /** Of a server, to which so many calls may go as one. */
    static Pipeline.Wire over(StatefulRedisConnection<String, String> connection, int mostAsOne) {
        return new ToOne(connection, mostAsOne);
    }

    /** Of a cluster, where commands have many ways to go: each goes at once, and by itself. */
    static Pipeline.Wire over(StatefulRedisClusterConnection<String, String> connection) {
        return new ToMany(connection);
    }

    private static final class ToOne implements Pipeline.Wire {

        private final StatefulRedisConnection<String, String> connection;

        /** One, once the server has refused a batch. */
        private volatile int mostAsOne;

        ToOne(StatefulRedisConnection<String, String> connection, int mostAsOne) {
            this.connection = connection;
            this.mostAsOne = mostAsOne;
        }

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
        public void write(List<AsyncCommand<String, String, String>> together) {
            int most = Math.min(mostAsOne, together.size());
            dispatch(most == 1 ? together : Batch.of(together, most, this::writeApart));
        }

        private void writeApart(List<AsyncCommand<String, String, String>> refused) {
            mostAsOne = 1;
            dispatch(refused);
        }

        private void dispatch(List<AsyncCommand<String, String, String>> commands) {
            if (commands.size() == 1) {
                connection.dispatch(commands.get(0)); // one task of the connection's thread, where a list is two
            } else {
                connection.dispatch(commands);
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
        public void write(List<AsyncCommand<String, String, String>> together) {
            together.forEach(connection::dispatch);
        }
    }
}
