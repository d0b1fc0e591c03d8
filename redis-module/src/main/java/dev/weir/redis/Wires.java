package dev.weir.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.List;

/** Adapts Lettuce connections to {@link Pipeline}. */
final class Wires {

    /** With fewer unanswered commands, waiting to batch does not pay: they are answered first. */
    static final int FEW = 4;

    private static final int ALL = Integer.MAX_VALUE;

    private Wires() {}

    /** Adapts a connection to a server, which takes up to {@code mostAsOne} calls in one command. */
    static Pipeline.Wire over(StatefulRedisConnection<String, String> connection, int mostAsOne) {
        return new ToOne(connection, mostAsOne);
    }

    /** Adapts a connection to a cluster, where commands go to many nodes: each is sent at once, and by itself. */
    static Pipeline.Wire over(StatefulRedisClusterConnection<String, String> connection) {
        return new ToMany(connection);
    }

    private static final class ToOne implements Pipeline.Wire {

        private final StatefulRedisConnection<String, String> connection;

        /** Set to one when the server has refused a batch. */
        private volatile int mostAsOne;

        ToOne(StatefulRedisConnection<String, String> connection, int mostAsOne) {
            this.connection = connection;
            this.mostAsOne = mostAsOne;
        }

        @Override
        public int few() {
            return connection.isOpen() ? FEW : ALL;
        }

        /** Half the client's queue bound: the client takes a list of commands as a whole or not at all. */
        @Override
        public int most() {
            return Math.max(1, connection.getOptions().getRequestQueueSize() / 2);
        }

        @Override
        public void write(List<ScriptCall> together) {
            int most = Math.min(mostAsOne, together.size());
            dispatch(most == 1 ? together : Batch.of(together, most, this::writeApart));
        }

        private void writeApart(List<ScriptCall> refused) {
            mostAsOne = 1;
            dispatch(refused);
        }

        private void dispatch(List<ScriptCall> commands) {
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
        public void write(List<ScriptCall> together) {
            together.forEach(connection::dispatch);
        }

        @Override
        public String serverOf(String key) {
            RedisClusterNode node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
            return node == null ? "" : node.getNodeId();
        }
    }
}
