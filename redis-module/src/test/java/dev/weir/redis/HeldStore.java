package dev.weir.redis;

import dev.weir.limit.Limit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A store that answers when a test says so. */
final class HeldStore implements Store {

    final List<Question> asked = new ArrayList<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();
    private final Store behind;

    HeldStore(Store behind) {
        this.behind = behind;
    }

    @Override
    public void ask(Limit limit, Question question, Asker asker) {
        asked.add(question);
        answers.add(() -> behind.ask(limit, question, asker));
    }

    int underWay() {
        return answers.size();
    }

    /** Lets the oldest question have its answer. */
    void answer() {
        answers.remove().run();
    }

    void answerAll() {
        while (!answers.isEmpty()) {
            answer();
        }
    }

    Question latest() {
        return asked.get(asked.size() - 1);
    }
}
