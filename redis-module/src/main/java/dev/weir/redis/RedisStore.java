package dev.weir.redis;

import dev.weir.limit.Limit;
import java.util.function.Function;

/** Keeps the permits of one limiter in Redis: one question is one call of a script. */
final class RedisStore implements Store {

    /** How much is told of a reply that is no answer. */
    private static final int SHOWN = 100;

    private final Commands commands;
    private final Keys keys;
    private final String tag;
    private final String node;
    private final Function<Limit, LimitWords> wordsOf;

    /** The words and keys of the limit used last. Benign race: recomputed for another limit. */
    private volatile Encoded encoded;

    RedisStore(
            Commands commands, Keys keys, String tag, String node, Limit limit, Function<Limit, LimitWords> wordsOf) {
        this.commands = commands;
        this.keys = keys;
        this.tag = tag;
        this.node = node;
        this.wordsOf = wordsOf;
        this.encoded = new Encoded(wordsOf.apply(limit));
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        Encoded latest = encoded;
        if (!latest.words.areFor(limit)) {
            latest = new Encoded(wordsOf.apply(limit));
            encoded = latest;
        }
        LimitWords words = latest.words;
        commands.run(words.script(), latest.keys, words.arguments(question, node), new Reply(listener));
    }

    @Override
    public String server() {
        String[] latest = encoded.keys;
        try {
            return commands.serverOf(latest[0]);
        } catch (Throwable unknown) {
            return "";
        }
    }

    @Override
    public void check(Limit limit) {
        LimitWords unused = wordsOf.apply(limit);
    }

    /** The words of a limit, and its keys, whose names contain the kinds of its members. */
    private final class Encoded {

        private final LimitWords words;
        private final String[] keys;

        Encoded(LimitWords words) {
            this.words = words;
            this.keys = RedisStore.this.keys.of(tag, words.members()).toArray(String[]::new);
        }
    }

    private record Reply(Store.Listener listener) implements Commands.Listener {

        @Override
        public void replied(String reply) {
            Answer answer;
            try {
                answer = Answer.of(reply);
            } catch (Throwable unreadable) {
                listener.failed(new IllegalStateException("no answer, but " + beginOf(reply)));
                return;
            }
            listener.answered(answer);
        }

        private static String beginOf(String reply) {
            String text = String.valueOf(reply); // a reply of nil is null
            return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
        }

        @Override
        public void failed(Throwable cause) {
            listener.failed(cause);
        }
    }
}
