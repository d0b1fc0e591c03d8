package dev.weir.redis;

import dev.weir.limit.Limit;

/** The permits of one limiter in Redis: one script, one trip. */
final class RedisStore implements Store {

    private final Commands commands;
    private final Keys keys;
    private final String tag;
    private final RedisOptions options;
    private final String node;

    /** Of the limit that was asked for last. Racy, benign: made again if it is another. */
    private volatile ScriptCall call;

    RedisStore(Commands commands, Keys keys, String tag, RedisOptions options, String node, Limit limit) {
        this.commands = commands;
        this.keys = keys;
        this.tag = tag;
        this.options = options;
        this.node = node;
        this.call = ScriptCall.of(limit, keys, tag, options.leaseTime());
    }

    @Override
    public void ask(Limit limit, Question question, Asker asker) {
        ScriptCall latest = call;
        if (latest.limit() != limit) {
            latest = ScriptCall.of(limit, keys, tag, options.leaseTime());
            call = latest;
        }
        commands.run(latest.script(), latest.keys(), latest.arguments(question, node), new Reply(asker));
    }

    private record Reply(Asker asker) implements Commands.Listener {

        @Override
        public void replied(String reply) {
            Answer answer;
            try {
                answer = ScriptCall.answer(reply);
            } catch (RuntimeException unreadable) {
                asker.failed(unreadable);
                return;
            }
            asker.answered(answer);
        }

        @Override
        public void failed(Throwable cause) {
            asker.failed(cause);
        }
    }
}
