package dev.weir.redis;

import dev.weir.limit.Limit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A store that answers when a test says so. */
final class ManualStore implements Store {

    final List<Question> asked = new ArrayList<>();
    private final Queue<Call> calls = new ArrayDeque<>();
    private final Store behind;

    private record Call(Limit limit, Question question, Listener listener) {}

    ManualStore(Store behind) {
        this.behind = behind;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        asked.add(question);
        calls.add(new Call(limit, question, listener));
    }

    int underWay() {
        return calls.size();
    }

    /** Lets the oldest question have its answer. */
    void answer() {
        Call call = calls.remove();
        behind.ask(call.limit, call.question, call.listener);
    }

    void answerAll() {
        while (!calls.isEmpty()) {
            answer();
        }
    }

    /** Fails all questions. */
    void fail() {
        fail(new IllegalStateException("the store is broken"));
    }

    void fail(RuntimeException cause) {
        while (!calls.isEmpty()) {
            calls.remove().listener.failed(cause);
        }
    }

    Question latest() {
        return asked.get(asked.size() - 1);
    }
}
