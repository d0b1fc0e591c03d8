package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;

/**
 * A store that answers before it returns, as the scripts do on a server whose clock is that of the test; by its own, it does not expire
 * keys meanwhile.
 */
final class ScriptStore implements Store {

    private final ScriptHost host;
    private final String tag;
    private final TimeSource time;
    private final String node;

    ScriptStore(ScriptHost host, String tag, TimeSource time) {
        this(host, tag, time, "node");
    }

    ScriptStore(ScriptHost host, String tag, TimeSource time, String node) {
        this.host = host;
        this.tag = tag;
        this.time = time;
        this.node = node;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        listener.answered(host.ask(limit, tag, question, node, ScriptHost.micros(time)));
    }
}
